"""The verbs with which records speak of each other, in running text and as names of fields. Part of the status rule."""

import re
from enum import StrEnum
from functools import lru_cache

from citator.expressions import expression
from citator.records import EdgeKind
from citator.vocabulary import PARTIAL


class Relation(StrEnum):
    """How one record bears on another, seen from the one that says so."""

    ENDED_BY = "superseded by"
    ENDS = "supersedes"
    CHANGED_BY = "amended by"
    CHANGES = "amends"
    SEE = "see"
    CONNECTS = "is connected with"
    """Bears on nobody's standing; the words beside it say how."""


ENDED = (
    r"(?:supers?c?e+[dt]e?d|superceeded|supersession|replaced|obsoleted|overrid+en|overruled|overturned|overtaken|overwritten|supplanted|displaced|"
    r"succeeded|reversed|reverted|undone|repealed|revoked|rescinded|retired|(?:made\s+)?moot|subsumed|deprecated|moved|merged|folded|"
    r"consolidated|absorbed|abandoned|dropped|(?:annulée?s?\s+et\s+)?remplacée?s?|supplantée?s?|abrogée?s?|ersetzt|abgelöst|überholt|"
    r"sustituid[oa]s?|re?emplazad[oa]s?|superad[oa]s?|derogad[oa]s?|revogad[oa]s?|substituíd[oa]s?|sostituit[oa]|rimpiazzat[oa]|superat[oa]|"
    r"vervangen|замен[её]н[аоы]?|замещ[её]н[аоы]?)"
)
PART = (
    r"(?:in[\s_-]+part|partial(?:ly)?|partly|mostly|largely|teilweise|zum\s+teil|partiellement|en\s+partie|parcialmente|en\s+parte|em\s+parte|"
    r"parzialmente|in\s+parte|gedeeltelijk|deels|частично|in-part)"
)
_FULLY = (
    r"(?:\s+(?:entirely|completely|fully|wholly|totally|outright|in\s+full|in\s+(?:its|their)\s+entirety|vollständig|entièrement|"
    r"por\s+completo))?"
)
BY = r"(?:by|with|to|into|in\s+fav(?:o|ou)r\s+of|through|via|par|durch|von|por|pel[oa]|da|dall[ao']|dal|door|на)"
_ENDS = (
    r"(?:supers?c?e+d(?:es|ing)|replaces|obsoletes|overrides|retires|supplants|remplace|ersetzt|löst|sustituye|reemplaza|substitui|"
    r"sostituisce|rimpiazza|vervangt|заменяет|замещает|отменяет)"
)
_CHANGED = (
    r"(?:amended|clarified|extended|complemented|completed|supplemented|updated|refined|enhanced|modified|revised|adjusted|narrowed|corrected|"
    r"amendée?|complétée?|précisée?|modifiée?|étendue?|ergänzt|geändert|erweitert|präzisiert|enmendad[oa]|modificad[oa]|ampliad[oa]|complementad[oa]|"
    r"emendad[oa]|alterad[oa]|modificat[oa]|estes[oa]|gewijzigd|aangevuld|дополнен[ао]?|уточн[её]н[ао]?|измен[её]н[ао]?)"
)
_CHANGES = (
    r"(?:amends|clarifies|extends|complements|completes|supplements|updates|refines|relates\s+to|related\s+to|requires|depends\s+on|enhances|"
    r"builds\s+on|modifies|amende|complète|précise|étend|ergänzt|ändert|erweitert|enmienda|modifica|amplía|complementa|estende|wijzigt|"
    r"дополняет|уточняет|изменяет)"
)
_AND = r"(?:\s+(?:and|und|et|y|e)\s+|\s*[&/]\s*)"
_ASIDE = r"(?:\s*\x02\d+\x02)?"
_WHEN = r"(?:\s*,?\s*(?:on|in|since|as\s+of|le|am|el)?\s*(?:\x04|\b(?:19|20)\d\d\b))?"
_NAME = r"(?=\x01|[A-ZА-Я]+[-\s]?\d|решени)"

ENDED_BY = expression(
    rf"(?:\b(?P<before>{PART})[\s,]+)?\b(?:{ENDED}{_AND})?{ENDED}(?:[\s,-]*(?P<after>{PART}))?{_FULLY}{_ASIDE}{_WHEN}{_ASIDE}[\s,_-]*"
    rf"(?:\b{BY}\b|(?<=superseded)(?=\s+(?:\x01|ADR))|(?<=[а-яё])\s+{_NAME}(?:решени\w+)?)\s*:?\s*",
    re.I,
)
MILD = expression(r"\b(?:moved|merged|consolidated|dropped|reverted)\b", re.I)
"""Verbs that are used of other things than decisions too: "moved to Java 17"."""

_ENDS_IT = expression(
    rf"(?:\b(?P<before>{PART})[\s,]+)?(?:\b(?:{_ENDS}{_AND})?{_ENDS}|\bwe\s+(?:hereby\s+|now\s+)?(?:supersede|replace|retire|obsolete))\b(?!-\w)"
    rf"(?:[\s,-]*(?P<after>{PART}))?{_FULLY}(?:\s+(?:al?|el|la|le|die|den|das)\b)?{_ASIDE}\s*:?\s*",
    re.I,
)
_CHANGED_BY = expression(
    rf"\b{_CHANGED}(?:[\s-]+{PART})?{_ASIDE}{_WHEN}\s*,?\s*(?:\b(?:by|in|with|through|par|durch|por|pel[oa]|da|dall[ao']|dal|door)\b|"
    rf"(?<=[а-яё])\s+{_NAME})\s*:?\s*",
    re.I,
)
_CHANGES_IT = expression(rf"\b{_CHANGES}\b\s*:?\s*", re.I)

VERB_FIRST = (
    (Relation.ENDED_BY, ENDED_BY),
    (Relation.ENDS, _ENDS_IT),
    (Relation.CHANGED_BY, _CHANGED_BY),
    (Relation.CHANGES, _CHANGES_IT),
)
"""Patterns that end where the names of the other records begin."""

ENDED_BY_NAME_FIRST = expression(
    r"[被由](?P<by>[^。；;，,]{1,80}?)(?P<zh_part>部分)?所?(?:取代|替代|替换|替換|代替|废弃|廢棄|废止|覆盖)"
    r"|(?:取代|替代|替换|替換)[为為成]\s*(?P<zh_new>[^。；;，,]{1,80})"
    r"|(?P<zh_name>\x01\d+\x01|\b[A-Za-z]+[-\s]?\d[\w-]*+)\s*(?:已)?(?P<zh_name_part>部分)?(?:取代|替代|替换)(?!\s*[\x01\w])"
    r"|(?P<ja>[^。、（）()]{1,80}?)\s*(?:により|によって|で|に)(?P<ja_part>一部|部分的に)?(?:置換|置き換え|差し替え|上書き|廃止|取って代わ|統合)"
    r"|(?P<ko>[^。、,()]{1,80}?)\s*(?:에\s*의해|으로|로)\s*(?P<ko_part>일부|부분적으로)?\s*(?:대체|교체|통합)"
    r"|\bdurch\s+(?P<de>[^.;,]{1,80}?)\s+(?P<de_part>teilweise\s+)?(?:ersetzt|abgelöst|überholt)\b",
    re.I,
)
ENDS_THIS = expression(
    rf"(?:\b(?:see|refer\s+to|cf\.?|in\s+fav(?:o|ou)r\s+of)\s+)?(?P<by>\x01\d+\x01|\b[A-Za-z]*[-\s]?#?\d[\w-]*+)\s*,?"
    rf"(?:\s+(?:which|that|has|have|now|fully|completely|(?P<part>{PART})))*\s+(?:{_ENDS}|{ENDED})\s+(?:this|it)\b",
    re.I,
)
"""In a status, where "it" is the record: "ADR-4, which replaces it"."""
_BY_THIS = (
    rf"(?P<part>{PART}\s+)?{ENDED}(?:\s+(?P<after>{PART}))?\s+by\s+this(?:\s+(?:m?adrs?|decision|record|document|one|rfc|proposal))?"
    r"\s*(?:[.,;)]|$)"
)
BY_THIS = expression(_BY_THIS, re.I)
THIS_ENDS = expression(
    r"(?P<old>\x01\d+\x01|\b[A-Z]+[-\s]?\d[\w-]*+)(?:\s*\x02(?P<aside>\d+)\x02|"
    rf"[\s,:—–-]+(?:(?:is|was|are|has\s+been|now|hereby|therefore|thus)\s+)*+{_BY_THIS})",
    re.I,
)
"""A record behind which it is said that this one ended it: "ADR-4 is superseded by this ADR", "ADR-4 (replaced by this)"."""
NAME_FIRST = (
    (Relation.ENDED_BY, ENDED_BY_NAME_FIRST),
    (
        Relation.ENDS,
        expression(
            r"(?<![被由])(?:取代|替代|替换|废止)(?![为為成])了?(?P<zh>[^。；;，,]{1,80})"
            r"|(?P<ja>[^。、]{1,80}?)を(?P<ja_part>一部|部分的に)?(?:置換|置き換え|廃止|差し替え|上書き)"
            r"|(?P<ko>[^。、,]{1,80}?)[을를]\s*(?P<ko_part>일부|부분적으로)?\s*(?:대체|교체)"
        ),
    ),
    (
        Relation.CHANGED_BY,
        expression(
            r"被(?P<zh>[^。；;，,]{1,80}?)(?:补充|補充|修订|修訂|修改|扩展|擴展|更新)|(?P<ja>[^。、]{1,80}?)(?:により|によって|で)(?:改訂|補足|修正|追記|変更)"
        ),
    ),
)
"""Patterns with a group for the name of the other record, and one that matches only where a part is meant."""

_KINDS = tuple(
    (expression(pattern, re.I), kind)
    for pattern, kind in (
        (r"invalidated by", EdgeKind.INVALIDATED_BY),
        (r"invalidates", EdgeKind.INVALIDATES),
        (r"conflict|contradict|incompatible", EdgeKind.CONFLICTS_WITH),
        (r"clarified|précisée", EdgeKind.CLARIFIED_BY),
        (r"clarifies|précise|präzisiert", EdgeKind.CLARIFIES),
        (r"depend|require", EdgeKind.DEPENDS_ON),
        (r"documented", EdgeKind.DOCUMENTED_BY),
        (r"documents", EdgeKind.DOCUMENTS),
        (r"affected", EdgeKind.AFFECTED_BY),
        (r"affects", EdgeKind.AFFECTS),
        (r"decision for|decides", EdgeKind.DECISION_FOR),
        (r"decided by", EdgeKind.DECIDED_BY),
        (r"relate", EdgeKind.RELATES_TO),
    )
)
_EDGES = {
    Relation.ENDED_BY: EdgeKind.SUPERSEDED_BY,
    Relation.ENDS: EdgeKind.SUPERSEDES,
    Relation.CHANGED_BY: EdgeKind.AMENDED_BY,
    Relation.CHANGES: EdgeKind.AMENDS,
}


def edge_kind(relation: Relation, verb: str) -> EdgeKind:
    """How two records are connected, from the relation between them and the words it is declared with."""
    if relation in (Relation.ENDED_BY, Relation.ENDS):
        return _EDGES[relation]
    found = next((kind for pattern, kind in _KINDS if pattern.search(verb)), None)
    return found or _EDGES.get(relation, EdgeKind.LINK)


PARTLY_ENDED = expression(
    rf"(?:{PART}[\s,_-]+{ENDED}|{ENDED}[\s,_-]+{PART})(?![\w-])"
    r"|部分(?:已|被|已被)?(?:取代|替代|替换|废弃)|一部(?:置換|置き換え|差し替え|廃止)|(?:일부|부분(?:적으로)?)\s*(?:대체|교체)(?:됨)?",
    re.I,
)
"""A bare "partly superseded"."""

_LATIN = tuple(
    "super replac obsolet overr overturn repeal revoke rescind retire subsum emplac reemplaz supplant ersetz abgelöst stitu "
    "vervang".split()
)
_OTHER_SCRIPTS = tuple("取代 替代 替换 替換 置換 置き換え 廃止 замен 대체 교체".split())
_OTHERS = tuple(
    (
        "moot deprec moved merged folded consolid absorb abandon dropped abrog überholt löst overtak overwrit supplant "
        "displac succeed revers revert undone superad superat derog revog rimpiazz замещ amend clarif exten complement "
        "complet дополн уточн измен complét supplement update refine enhanc modifi revis adjust narrow correct précis "
        "étend gänzt ndert weitert enm amplía relate require depend builds emendad alterad modificat estes estend wijzig "
        "aangevuld 补充 補充 修订 修訂 修改 扩展 擴展 更新 改訂 補足 修正 追記 変更 废 廢 差し替え 上書き 取って 統合 "
        "覆盖 통합"
    ).split()
)


def replacing_stems(lowered: str) -> tuple[str, ...]:
    """What to look for in a text in lower case: where none of it stands, nothing is said of what replaced what."""
    return _LATIN if lowered.isascii() or not any(sign in lowered for sign in "取替置廃з대교") else _LATIN + _OTHER_SCRIPTS


def may_replace(text: str) -> bool:
    """Whether a text may say what replaced what: a quick look, so that a dialect need not declare every line."""
    lowered = text.lower()
    return any(stem in lowered for stem in replacing_stems(lowered))


def may_relate(text: str) -> bool:
    """Whether a text may hold any relation at all."""
    lowered = text.lower()
    return may_replace(lowered) or any(stem in lowered for stem in _OTHERS)


_FIELDS = tuple(
    (expression(rf"(?:{pattern})(?:\s+(?:adrs?|records?|decisions?))?", re.I), relation, future)
    for pattern, relation, future in (
        (r"proposed replacement|to be superseded by|will be (?:superseded|replaced) by", Relation.ENDED_BY, True),
        (
            (
                rf"(?:{PART}\s+)?{ENDED}(?:\s+(?:section|{PART}))?\s+{BY}|replacements?|successors?|replacedby|supersededby|obsoletedby|"
                r"(?:частично )?замен[её]н[ао]?|取代者|被取代|被替代|後継|后继|置換先|置き換え先|대체됨|후속"
            ),
            Relation.ENDED_BY,
            False,
        ),
        (
            (
                rf"(?:{PART}\s+)?(?:{_ENDS}|supersede|replace|obsolete|sustituye(?: a| al)?|reemplaza(?: a| al)?|"
                r"取代|替代|置換|置き換え|대체)"
                rf"(?:\s+(?:sections?|parts?|{PART}))?(?:\s+of)?"
            ),
            Relation.ENDS,
            False,
        ),
        (rf"{_CHANGED}(?:\s+{PART})?\s+(?:by|in|par|durch|por|pel[oa]|da|door)", Relation.CHANGED_BY, False),
        (rf"{_CHANGES}|amend|extend|complement|relate[sd]|related\s+\w+|depends", Relation.CHANGES, False),
        (r"por|durch|par|door", Relation.SEE, False),
        (
            (
                r"(?:conflicts?|contradicts?|incompatible)(?: with)?|documents|documented (?:by|in)|affects|affected by|"
                r"decision for|decides|decided by|invalidates|invalidated by|links?|links? to|see also"
            ),
            Relation.CONNECTS,
            False,
        ),
    )
)
_STATUS_FIELD = expression(
    r"(?:(?:adr|decision|current|document|record|lifecycle|текущий) )?(?:status|statut|статус)|"
    r"(?:(?:adr|decision|record) )?state|estado|estatus|état|etat|stato|lifecycle|situação|"
    r"(?:決定)?(?:ステータス|状態)|(?:当前|决策|决定|文档)?状态|狀態|(?:(?:현재|결정) )?상태",
    re.I,
)


@lru_cache(maxsize=4096)
def field_meaning(field: str) -> tuple[Relation | None, bool, bool]:
    """The relation that a field's name stands for, whether to a part only, and whether only announced."""
    name = " ".join(re.sub(r"[_-]", " ", field).split())
    for pattern, relation, future in _FIELDS:
        if pattern.fullmatch(name):
            return relation, bool(PARTIAL.search(name)), future
    return None, False, False


@lru_cache(maxsize=4096)
def is_status(field: str) -> bool:
    """Whether a field of this name, or a section of this title, holds a record's own status."""
    return bool(_STATUS_FIELD.fullmatch(" ".join(field.split())))
