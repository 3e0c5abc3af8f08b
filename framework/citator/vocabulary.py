"""The fixed words of the status rule; a config may add words, never change what one of these means."""

import re
from collections.abc import Mapping
from functools import lru_cache

from citator.expressions import expression
from citator.records import Status

_WORDS: Mapping[Status, str] = {
    Status.LIVE: """
        accepted; approved; adopted; implementable; final; active; living; stable; in force; in effect; effective;
        enforced; current; ratified; agreed; decided; decision made; confirmed; endorsed; settled; binding; locked;
        signed off; standards track; needs revision; partially accepted; partially approved; partially adopted; amended;
        enacted; committed; standard; accepté; acceptée; approuvé; approuvée; adopté; adoptée; validé; validée; actée;
        acté; décidé; décidée; retenu; retenue; confirmé; confirmée; en vigueur; akzeptiert; angenommen; beschlossen;
        genehmigt; gültig; verabschiedet; entschieden; freigegeben; bestätigt; aktiv; in kraft; aceptado; aceptada;
        aprobado; aprobada; adoptado; adoptada; confirmado; confirmada; decidido; decidida; vigente; activo; activa;
        en vigor; aceito; aceita; aceite; aprovado; aprovada; adotado; adotada; ativo; ativa; em vigor; accettato;
        accettata; approvato; approvata; adottato; adottata; deciso; decisa; attivo; attiva; in vigore; geaccepteerd;
        goedgekeurd; aanvaard; aangenomen; vastgesteld; besloten; actief; van kracht; принят; принята; принято;
        утвержден; утверждена; утверждено; утверждён; одобрен; одобрена; одобрено; действует; действующий; действующее;
        承認済み; 承認; 採用; 採用済み; 採択; 採択済み; 決定; 決定済み; 確定; 確定済み; 受理; 受諾; 合意済み; 有効;
        已采纳; 已採納; 已采用; 已接受; 已批准; 已通过; 已通過; 已确认; 已确定; 已决定; 已定; 已生效; 采纳; 采用; 接受;
        通过; 生效; 生效中; 有效; 现行; 승인; 승인됨; 승인 완료; 채택; 채택됨; 수락; 수락됨; 확정; 확정됨; 결정됨;
        결정 완료; 유효""",
    Status.PROPOSED: """
        proposed; proposal; proposing; draft; pending; wip; work in progress; in progress; to be reviewed;
        to be approved; to be decided; to be discussed; to be accepted; in review; under review; review; reviewing;
        under discussion; in discussion; discussion; discussing; under consideration; last call; provisional;
        provisionally accepted; tentative; tentatively accepted; conditionally accepted; on hold; hold; paused; parked;
        deferred; postponed; returned for revision; needs review; needs decision; needs discussion; ready for review;
        for review; awaiting approval; awaiting review; awaiting decision; demonstrated; complete; stagnant; stalled;
        open; candidate; idea; exploratory; exploring; investigating; spike; trial; incomplete; suggested;
        not yet accepted; not yet approved; not yet decided; undecided; scheduled for acceptance; active review;
        accepted in principle; rfc; request for comments; experimental; planned; initiated; initial; drafting; in draft;
        feedback; pre-draft; unapproved; proposé; proposée; proposition; brouillon; en cours; en attente; à valider;
        à discuter; en discussion; en revue; suspendu; suspendue; différé; différée; reporté; reportée; provisoire;
        ébauche; vorgeschlagen; entwurf; in arbeit; offen; in prüfung; in bearbeitung; in diskussion; zur diskussion;
        zur prüfung; in klärung; ausstehend; vorläufig; zurückgestellt; vorschlag; propuesto; propuesta; borrador;
        en curso; en progreso; en revisión; en discusión; en evaluación; pendiente; pospuesto; pospuesta; aplazado;
        aplazada; proposto; proposta; rascunho; em andamento; em discussão; em análise; em revisão; em avaliação;
        pendente; adiado; adiada; bozza; in discussione; in revisione; in valutazione; in attesa; rinviato; rinviata;
        voorgesteld; voorstel; concept; in behandeling; in bespreking; ter bespreking; uitgesteld; предложено;
        предложен; предложена; предложение; черновик; проект; на рассмотрении; на согласовании; на обсуждении;
        в обсуждении; обсуждается; в работе; отложен; отложена; отложено; 提案; 提案中; 提案済み; 草案; ドラフト;
        下書き; 検討中; 議論中; 保留; 保留中; 審議中; レビュー中; レビュー待ち; 承認待ち; 決定待ち; 未承認; 未決定;
        提议; 提議; 提议中; 已提议; 已提出; 草稿; 拟定; 讨论中; 討論中; 待定; 待讨论; 待审核; 待评审; 待批准; 待确认;
        待决定; 审核中; 评审中; 拟议; 暂缓; 제안; 제안됨; 제안 중; 초안; 검토; 검토중; 검토 중; 논의중; 논의 중; 보류;
        보류됨; 승인 대기; 승인 대기 중; 미정""",
    Status.REJECTED: """
        rejected; declined; withdrawn; abandoned; cancelled; canceled; expired; not accepted; not approved; not adopted;
        unaccepted; dropped; denied; refused; vetoed; turned down; discarded; won't do; rejeté; rejetée; refusé;
        refusée; abandonné; abandonnée; retiré; retirée; annulé; annulée; écarté; écartée; abgelehnt; verworfen;
        zurückgezogen; zurückgewiesen; nicht angenommen; rechazado; rechazada; retirado; retirada; descartado;
        descartada; cancelado; cancelada; anulado; anulada; desestimado; desestimada; rejeitado; rejeitada; recusado;
        recusada; respinto; respinta; rifiutato; rifiutata; scartato; scartata; annullato; annullata; ritirato;
        ritirata; afgewezen; verworpen; ingetrokken; geannuleerd; отклонено; отклонен; отклонена; отклонён; отвергнуто;
        отменено; отменен; отменена; отменён; отозвано; отозван; 却下; 拒否; 否決; 棄却; 不採用; 取り下げ; 撤回; 已拒绝;
        已拒絕; 拒绝; 拒絕; 已撤回; 已否决; 否决; 已放弃; 已取消; 不采纳; 未采纳; 거부; 거부됨; 거절; 거절됨; 기각;
        기각됨; 반려; 반려됨; 철회; 철회됨; 취소; 취소됨""",
    Status.DEPRECATED: """
        deprecated; obsolete; obsoleted; retired; historic; historical; moot; outdated; discontinued; sunset; archived;
        revoked; reverted; rescinded; no longer valid; no longer relevant; no longer applicable; no longer in force;
        no longer in use; no longer used; no longer in effect; no longer needed; rolled back; repealed; phased out;
        invalid; inactive; déprécié; dépréciée; obsolète; périmé; périmée; caduc; caduque; abrogé; abrogée; révoqué;
        révoquée; veraltet; überholt; obsolet; aufgehoben; hinfällig; widerrufen; archiviert; außer kraft; obsoleto;
        obsoleta; en desuso; deprecado; deprecada; derogado; derogada; descontinuado; descontinuada; depreciado;
        depreciada; revogado; revogada; deprecato; deprecata; revocato; revocata; dismesso; dismessa; verouderd;
        vervallen; achterhaald; ingehaald; устарело; устарел; устарела; неактуально; неактуален; неактуальна;
        недействительно; упразднено; 廃止; 廃止済み; 非推奨; 無効; 已废弃; 已廢棄; 废弃; 廢棄; 已弃用; 已棄用; 弃用;
        已废止; 废止; 已作废; 作废; 已停用; 已过时; 过时; 失效; 已失效; 不再适用; 폐기; 폐기됨; 폐지; 폐지됨; 사용 중단;
        더 이상 사용하지 않음""",
    Status.SUPERSEDED: """
        superseded; superceded; superseeded; supersceded; superceeded; supersceeded; replaced; overridden; overriden;
        overruled; overturned; overtaken; supplanted; subsumed; remplacé; remplacée; supplanté; supplantée; ersetzt;
        abgelöst; sustituido; sustituida; reemplazado; reemplazada; remplazado; remplazada; superado; superada;
        substituído; substituída; sostituito; sostituita; rimpiazzato; rimpiazzata; superato; superata; vervangen;
        заменено; заменен; заменена; заменён; замещено; замещен; замещён; 置換; 置換済み; 置き換え; 置き換え済み;
        已取代; 已被取代; 已替代; 已被替代; 已替换; 已被替换; 被取代; 被替代; 대체; 대체됨; 교체; 교체됨""",
}

# What they say concerns the work, not the decision: they count only where no word of the decision stands beside them.
_OF_THE_WORK: Mapping[Status, str] = {
    Status.LIVE: """
        implemented; partially implemented; partly implemented; deployed; done; completed; released; shipped; merged;
        resolved; in production; in use; implémenté; implémentée; umgesetzt; implementiert; implementado; implementada;
        implementato; implementata; geïmplementeerd; реализовано; внедрено; 実装済み; 已实现; 已实施; 已落地; 구현됨;
        구현 완료""",
    Status.DEPRECATED: """
        removed; closed; supprimé; entfernt; eliminado; rimosso; verwijderd; удалено; 削除; 已删除; 已关闭; 삭제됨""",
}

PARTIAL = expression(
    r"\b(?:in[\s-]part|part(?:s|ly|ial|ially)?|(?:some|certain|several)\b|aspects?|portions?|sections?|rules?|clauses?|rows?|paragraphs?|only|subset|"
    r"mostly|largely|teilweise|zum\s+teil|teile?|abschnitt|en\s+partie|partiellement|en\s+parte|em\s+parte|parcialmente|in\s+parte|"
    r"parzialmente|gedeeltelijk|deels|частично)\b|§|一部|部分|일부|부분",
    re.I,
)

NOTHING = expression(
    r"(?:n\.?/?a\.?|none(?:\s+yet)?|null|nil|nothing|no|not\s+applicable|not\s+yet|tb[dc]|to\s+be\s+d(?:efined|etermined)|unknown|undefined|empty|"
    r"aucune?|keine?r?|ninguno|ninguna|nenhuma?|nessun[oa]?|geen|нет|없음|なし|无|無|该当なし|該当なし|[-–—~.?_…\s]*)\.?",
    re.I,
)
"""Values that say nothing."""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f"
_NOT_YET = "待|予定|候補|検討|前(?!提)"
"""What stands behind a word without a space and takes it back."""


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
    return re.compile(rf"(?:{latin})(?![\w'’]|-\w)|(?:{cjk})(?!{_NOT_YET})", re.I), table


def nearest(text: str, extra: tuple[tuple[str, Status], ...]) -> str:
    """The status word that a mistyped one was probably meant to be, or nothing."""
    from difflib import get_close_matches  # needed for hardly any folder

    alike = [word for word in word_table(extra)[1] if abs(len(word) - len(text)) <= 2]
    return next(iter(get_close_matches(folded(text), alike, 1, 0.75)), "")


def _loose(word: str) -> str:
    return r"[\s_-]+".join(re.escape(part) for part in word.split())


def folded(word: str) -> str:
    """A status word as the table has it."""
    return " ".join(re.sub(r"[\s_-]+", " ", word.casefold()).split())
