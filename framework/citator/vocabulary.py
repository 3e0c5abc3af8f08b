"""The fixed words of the status rule; a config may add words, never change what one of these means."""

import re
from collections.abc import Mapping
from functools import lru_cache

from citator.records import Status

_WORDS: Mapping[Status, str] = {
    Status.LIVE: """
        accepted; approved; adopted; implementable; final; active; living; stable; in force; in effect; ratified; agreed;
        decided; standards track; needs revision; partially accepted; partially approved; partially adopted; amended;
        enacted; committed; standard; accepté; acceptée; approuvé; approuvée; adopté; adoptée; validé; validée; actée; acté;
        en vigueur; akzeptiert; angenommen; beschlossen; genehmigt; gültig; verabschiedet; entschieden; aceptado; aceptada;
        aprobado; aprobada; adoptado; adoptada; vigente; aceito; aceita; aprovado; aprovada; accettato; accettata;
        approvato; geaccepteerd; goedgekeurd; принято; утверждено; 承認済み; 承認; 採用; 採択; 決定; 決定済み; 受理; 有効;
        已采纳; 已採納; 已接受; 已批准; 已通过; 已通過; 采纳; 接受; 通过; 生效""",
    Status.PROPOSED: """
        proposed; proposal; proposing; draft; pending; wip; work in progress; in progress; to be reviewed; to be approved;
        to be decided; to be discussed; to be accepted; in review; under review; review; reviewing; under discussion;
        in discussion; discussion; discussing; under consideration; last call; provisional; provisionally accepted;
        tentative; tentatively accepted; conditionally accepted; on hold; hold; paused; deferred; postponed;
        returned for revision; needs review; ready for review; for review; awaiting approval; awaiting review; demonstrated;
        complete; stagnant; stalled; open; candidate; idea; exploratory; trial; incomplete; suggested; not yet accepted;
        not yet approved; not yet decided; undecided; scheduled for acceptance; active review; accepted in principle; rfc;
        request for comments; experimental; planned; initiated; initial; drafting; in draft; feedback; pre-draft;
        unapproved; proposé; proposée; brouillon; en cours; en attente; à valider; en discussion; suspendu; ébauche;
        vorgeschlagen; entwurf; in arbeit; offen; in prüfung; in bearbeitung; zurückgestellt; vorschlag; propuesto;
        propuesta; borrador; en progreso; en revisión; pendiente; proposto; proposta; rascunho; em andamento; bozza;
        voorgesteld; concept; предложено; черновик; 提案; 提案中; 草案; ドラフト; 下書き; 検討中; 保留; 審議中; レビュー中;
        提议; 提議; 提议中; 提案済み; 草稿; 讨论中; 討論中; 待定; 审核中; 拟议""",
    Status.REJECTED: """
        rejected; declined; withdrawn; abandoned; cancelled; canceled; expired; not accepted; not approved; unaccepted;
        dropped; denied; refused; rejeté; rejetée; refusé; refusée; abandonné; abandonnée; retiré; retirée; abgelehnt;
        verworfen; zurückgezogen; zurückgewiesen; rechazado; rechazada; retirado; retirada; descartado; descartada;
        rejeitado; rejeitada; respinto; afgewezen; отклонено; 却下; 拒否; 否決; 取り下げ; 撤回; 已拒绝; 已拒絕; 拒绝; 拒絕;
        已撤回; 已否决; 否决; 已放弃""",
    Status.DEPRECATED: """
        deprecated; obsolete; obsoleted; retired; historic; historical; moot; outdated; discontinued; sunset; archived;
        revoked; reverted; rescinded; no longer valid; no longer relevant; no longer applicable; no longer in force;
        no longer in use; no longer used; no longer in effect; no longer needed; rolled back; repealed; phased out;
        invalid; inactive; déprécié; dépréciée; obsolète; périmé; périmée; caduc; abrogé; abrogée; veraltet; überholt;
        aufgehoben; hinfällig; außer kraft; obsoleto; obsoleta; en desuso; deprecado; descontinuado; descontinuada;
        verouderd; устарело; 廃止; 廃止済み; 非推奨; 無効; 已废弃; 已廢棄; 废弃; 廢棄; 已弃用; 已棄用; 弃用; 已废止; 废止;
        已过时; 过时; 失效; 已失效""",
    Status.SUPERSEDED: """
        superseded; superceded; superseeded; supersceded; superceeded; supersceeded; superseeded; superseded; replaced;
        overridden; overriden; overruled; overturned; subsumed; remplacé; remplacée; supplanté; supplantée; ersetzt; abgelöst;
        sustituido; sustituida; reemplazado; reemplazada; substituído; substituída; sostituito; sostituita; vervangen;
        заменено; 置換; 置換済み; 置き換え; 置き換え済み; 已取代; 已被取代; 已替代; 已被替代; 已替换; 被取代""",
}

# What they say concerns the work, not the decision: they count only where no word of the decision stands beside them.
_OF_THE_WORK: Mapping[Status, str] = {
    Status.LIVE: """
        implemented; partially implemented; partly implemented; deployed; done; completed; released; shipped; merged;
        in production; in use; implémenté; implémentée; umgesetzt; implementiert; implementado; implementada; 実装済み;
        已实现; 已实施""",
    Status.DEPRECATED: "removed; closed; supprimé; entfernt; eliminado; 削除; 已删除; 已关闭",
}

PARTIAL = re.compile(
    r"\b(?:in[\s-]part|part(?:s|ly|ial|ially)?|(?:some|certain|several)\b|aspects?|portions?|sections?|rules?|clauses?|rows?|paragraphs?|only|subset|"
    r"teilweise|zum\s+teil|teile?|abschnitt|en\s+partie|partiellement|en\s+parte|parcialmente|in\s+parte|parzialmente|gedeeltelijk)\b|"
    r"§|一部|部分",
    re.I,
)

NOTHING = re.compile(
    r"(?:n\.?/?a\.?|none(?:\s+yet)?|null|nil|nothing|no|not\s+applicable|not\s+yet|tb[dc]|to\s+be\s+d(?:efined|etermined)|unknown|undefined|empty|"
    r"aucune?|keine?r?|ninguno|ninguna|nenhum|なし|无|無|该当なし|該当なし|[-–—~.?_…\s]*)\.?",
    re.I,
)
"""Values that say nothing."""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f"


@lru_cache(maxsize=16)
def word_table(extra: tuple[tuple[str, Status], ...]) -> tuple[re.Pattern[str], Mapping[str, tuple[Status, bool]]]:
    """A pattern for one word at a place, and what each word means: its status and whether it speaks of the work only."""
    table: dict[str, tuple[Status, bool]] = {}
    for of_work, source in ((False, _WORDS), (True, _OF_THE_WORK)):
        for status, words in source.items():
            table.update({folded(word): (status, of_work) for word in words.split(";")})
    for word, status in extra:
        table.setdefault(folded(word), (status, False))
    latin = "|".join(_loose(w) for w in sorted(table, key=len, reverse=True) if not re.match(f"[{_CJK}]", w))
    cjk = "|".join(re.escape(w) for w in sorted(table, key=len, reverse=True) if re.match(f"[{_CJK}]", w))
    return re.compile(rf"(?:{latin})(?![\w'’]|-\w)|{cjk}", re.I), table


def _loose(word: str) -> str:
    return r"[\s_-]+".join(re.escape(part) for part in word.split())


def folded(word: str) -> str:
    """A status word as the table has it."""
    return " ".join(re.sub(r"[\s_-]+", " ", word.casefold()).split())
