"""Declaration -> statements: what the raw words of a record mean. Part of the status rule; nobody else reads meaning into them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from citator.prose import DATE, Clause, Reference, clauses, listed, plain, values
from citator.records import Declaration, Place, Status
from citator.vocabulary import CJK, NOTHING, PARTIAL, word_table


class Relation(StrEnum):
    """How one record bears on another, seen from the one that says so."""

    ENDED_BY = "superseded by"
    ENDS = "supersedes"
    CHANGED_BY = "amended by"
    CHANGES = "amends"
    SEE = "see"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a declaration says: a status word, or a relation to what `references` name.

    `whole` marks a word that fills its line, `of_work` one that speaks of the work only, `partial` a relation to a part, `future` one
    that is announced but has not happened; `line` counts from 1 in the file.
    """

    declaration: Declaration
    line: int
    status: Status | None = None
    whole: bool = False
    of_work: bool = False
    relation: Relation | None = None
    partial: bool = False
    future: bool = False
    references: tuple[Reference, ...] = ()


_ENDED = (
    r"(?:supers?c?e+[dt]e?d|superceeded|replaced|obsoleted|overrid+en|overruled|retired|(?:made\s+)?moot|subsumed|deprecated|moved|merged|folded|"
    r"consolidated|absorbed|abandoned|dropped|remplacée?s?|supplantée?s?|abrogée?s?|ersetzt|abgelöst|überholt|sustituid[oa]s?|reemplazad[oa]s?|"
    r"substituíd[oa]s?|sostituit[oa]|vervangen|заменено)"
)
_BY = r"(?:by|with|to|into|in\s+fav(?:o|ou)r\s+of|through|via|par|durch|von|por|da|door)"
_PART = r"(?:in[\s-]+part|partially|partly|teilweise|zum\s+teil|partiellement|en\s+partie|parcialmente|en\s+parte|-?in-part|in\s+its\s+section\s+\S+)"
_ASIDE = r"(?:\s*\x02\d+\x02)"
_WHEN = rf"(?:\s*,?\s*(?:on|in|since|as\s+of|le|am|el)?\s*(?:{DATE}))"
ENDED_BY = re.compile(
    rf"(?:\b(?P<before>{_PART})[\s,]+)?(?P<verb>\b{_ENDED})(?:[\s,-]*(?P<after>{_PART}))?{_ASIDE}?{_WHEN}?{_ASIDE}?\s*,?\s*"
    rf"(?:\b{_BY}\b|(?<=superseded)(?=\s+\x01)|(?<=superseded)(?=\s+ADR))\s*:?\s*",
    re.I,
)
ENDS = re.compile(
    rf"(?:\b(?P<before>{_PART})[\s,]+)?(?P<verb>\b(?:supers?c?e+d(?:es|ing)|supersets|replaces|obsoletes|overrides|retires|remplace|ersetzt|löst|sustituye|"
    rf"reemplaza|substitui|sostituisce|vervangt)|\bwe\s+(?:hereby\s+|now\s+)?(?:supersede|replace|retire|obsolete))\b"
    rf"(?!-\w)(?:[\s,-]*(?P<after>{_PART}))?(?:\s+(?:al?|el|la|le|die|den|das)\b)?{_ASIDE}?\s*:?\s*",
    re.I,
)
_CHANGED = (
    r"(?:amended|clarified|extended|complemented|completed|supplemented|updated|refined|enhanced|modified|revised|adjusted|narrowed|corrected|"
    r"amendée?|complétée?|précisée?|modifiée?|étendue?|ergänzt|geändert|erweitert|präzisiert|enmendad[oa]|modificad[oa]|ampliad[oa]|complementad[oa])"
)
CHANGED_BY = re.compile(
    rf"\b{_CHANGED}(?:[\s-]+{_PART})?{_ASIDE}?{_WHEN}?\s*,?\s*\b(?:by|in|with|through|par|durch|por)\b\s*:?\s*", re.I
)
CHANGES = re.compile(
    r"\b(?:amends|clarifies|extends|complements|completes|supplements|updates|refines|relates\s+to|related\s+to|requires|depends\s+on|enhances|"
    r"builds\s+on|modifies|amende|complète|précise|étend|ergänzt|ändert|erweitert|enmienda|modifica|amplía|complementa)\b\s*:?\s*",
    re.I,
)
_CJK_ENDED = re.compile(
    rf"[被由](?P<by>[^。；;，,]{{1,80}}?)(?P<part>部分)?(?:所)?(?:取代|替代|替换|替換|代替|废弃|廢棄|废止)"
    r"|(?P<ja>[^。、（）()]{1,80}?)(?:により|によって|で|に)(?P<part2>一部)?(?:置換|置き換え|差し替え|上書き|廃止|取って代わ|更新され廃止)"
)
_CJK_ENDS = re.compile(
    r"(?<![被由])(?:取代|替代|替换|废止)(?:了)?(?P<ends>[^。；;，,]{1,80})|(?P<ja>[^。、]{1,80}?)を(?P<part>一部)?(?:置換|置き換え|廃止|差し替え|上書き)"
)
_CJK_CHANGED = re.compile(
    r"被(?P<by>[^。；;，,]{1,80}?)(?:补充|補充|修订|修訂|修改|扩展|擴展|更新)|(?P<ja>[^。、]{1,80}?)(?:により|によって|で)(?:改訂|補足|修正|追記|変更)"
)

RELATION_STEMS = tuple(
    "supers superc replac obsolet overrid overrul retire subsum emplac reemplaz supplant ersetz abgelöst stitu vervang 取代 替代 替换 替換 置換 置き換え 廃止".split()
)
"""A text without any of these in it, in lower case, says nothing about what replaced what: a dialect need not declare it."""

_OTHER_STEMS = tuple(
    "moot deprec moved merged folded consolid absorb abandon dropped abrog überholt löst amend clarif exten complement complet complét supplement update "
    "refine enhanc modifi revis adjust narrow correct précis étend gänzt ndert weitert enm amplía relate require depend builds 补充 補充 修订 修訂 修改 扩展 "
    "擴展 更新 改訂 補足 修正 追記 変更 废 廢 差し替え 上書き 取って".split()
)

_RECORD = (
    r"(?:adrs?|madrs?|a?drs?|oeps?|rfcs?|peps?|keps?|eips?|bips?|hips?|seps?|decisions?(?:\s+records?)?|records?|documents?|proposals?|standards?|"
    r"specifications?|guidelines?|policy|note|entscheidung|dokument|décision|document|decisión|registro|documento|決定|文書|记录|文档|决策)"
)
THIS = (
    rf"(?:(?:this|the\s+present|the\s+current|our)\s+(?:[a-z]+\s+)?{_RECORD}|diese[rs]?\s+{_RECORD}|ce(?:tte|t)?\s+{_RECORD}|est[ea]\s+{_RECORD}|"
    rf"本(?:{_RECORD}|ADR)|この(?:{_RECORD}|ADR))(?:[\s-]+\d+)?"
)
_ADVERBS = (
    r"(?:\s|[,:*>!.\x02\d-]|also|therefore|thereby|hereby|thus|now|effectively|formally|completely|entirely|fully|wholly|explicitly|directly|jointly|both|"
    r"has|have|had|been|is|are|was|were|being|it|and|which|that|but|since|already|in|its|entirety|wurde|wird|ist|sind|a|été|est|ha|sido|fue|largely|mostly|"
    rf"status|then|later|subsequently|provisionally|temporarily|but|however|note|update|warning|important|attention|caution|⚠|已|现|{DATE})*"
)
_ABOUT_THIS = re.compile(
    rf"^(?:{_ADVERBS}(?:as\s+such|so|therefore|accordingly|note\s+that)?{_ADVERBS})(?:{THIS}){_ADVERBS}(?:{_PART})?{_ADVERBS}$",
    re.I,
)
_NO_SUBJECT = re.compile(rf"^{_ADVERBS}(?:{_PART})?{_ADVERBS}$", re.I)
_SPEAKS_OF_THIS = re.compile(
    rf"\b(?:in|of|from)\s+{THIS}|\b(?:recorded|described|made|taken)\s+(?:below|here)|^{_ADVERBS}{THIS}", re.I
)
_NEGATED = re.compile(
    r"\b(?:not|never|without|neither|nor|nothing|no|cannot|rather\s+than|instead\s+of|nicht|kein\w*|pas|ne|no\s+se|nunca)\b|n['’]t\b|[不没未]",
    re.I,
)
_FUTURE = re.compile(
    r"\b(?:will|would|shall|should|could|can|may|might|must|to\s+be|until|unless|if|when|whenever|once|before|after|proposes?\s+to|intends?\s+to|plans?\s+to|"
    r"wird|sera|será)\b|将|將|予定",
    re.I,
)
_WAS = re.compile(
    r"^\s*(?:was|were|previously|formerly|originally|before|earlier|history|ehemals|vormals|auparavant|antes)\b", re.I
)

_FIELDS: tuple[tuple[re.Pattern[str], Relation, bool], ...] = tuple(
    (re.compile(rf"(?:{pattern})(?:\s+(?:adrs?|records?|decisions?))?", re.I), relation, future)
    for pattern, relation, future in (
        (r"proposed replacement|to be superseded by|will be (?:superseded|replaced) by", Relation.ENDED_BY, True),
        (
            rf"(?:{_PART}\s+)?{_ENDED}(?:\s+(?:section|{_PART}))?\s+{_BY}|replacement|successors?|superseding|replacedby|supersededby|取代者|被取代|後継|后继",
            Relation.ENDED_BY,
            False,
        ),
        (
            rf"(?:{_PART}\s+)?(?:supers?c?e+des?|replaces?|obsoletes?|overrides?|retires?|remplace|ersetzt|sustituye(?: an?| al?)?|reemplaza(?: an?| al?)?|"
            rf"substitui|sostituisce|vervangt|取代|替代|置換)(?:\s+(?:sections?|parts?|{_PART}))?(?:\s+of)?",
            Relation.ENDS,
            False,
        ),
        (rf"{_CHANGED}(?:\s+{_PART})?\s+(?:by|in|par|durch|por)", Relation.CHANGED_BY, False),
        (
            r"amends?|clarifies|extends?|complements?|completes?|supplements?|updates|refines?|relate[sd](?:\s+to)?|related(?:\s+\w+)?|requires?|depends(?:\s+on)?|"
            r"enhances?|amende|complète|ergänzt|ändert|enmienda|modifica",
            Relation.CHANGES,
            False,
        ),
        (r"por|durch|par|door", Relation.SEE, False),
    )
)
_STATUS_FIELD = re.compile(
    r"(?:adr |decision |current |document |record )?(?:status|statut|статус)|state|estado|état|etat|stato|ステータス|状態|状态|狀態|決定状態",
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


def _means(field: str) -> bool:
    return is_status(field) or field == "tags" or field_meaning(field)[0] is not None


def statements(declaration: Declaration, words: Mapping[str, Status]) -> list[Statement]:
    """All that one declaration says, in the order of its text."""
    if declaration.place is Place.FRONT_MATTER and not _means(declaration.field):
        return []
    reader = _Reader(declaration, tuple(sorted(words.items())))
    if declaration.place in (Place.LINK, Place.SENTENCE, Place.NOTE):
        return list(reader.prose())
    if is_status(declaration.field):
        return list(reader.status())
    relation, partial, future = field_meaning(declaration.field)
    if relation:
        return list(reader.relation(relation, partial, future))
    if declaration.field == "tags":
        return list(reader.tags())
    return list(reader.prose(head_only=True))


class _Reader:
    def __init__(self, declaration: Declaration, extra: tuple[tuple[str, Status], ...]) -> None:
        self.declaration = declaration
        self.word, self.table = word_table(extra)
        self.text, self.links = plain(declaration.text[:4000])

    def say(self, at: int, **said: object) -> Statement:
        line = self.declaration.line + self.text.count("\n", 0, at)
        return Statement(self.declaration, line, **said)  # type: ignore[arg-type]

    # -- fields that name other records ------------------------------------------------------------------------------------------------

    def relation(self, relation: Relation, partial: bool, future: bool) -> Iterator[Statement]:
        if _NEGATED.match(self.text) or _is_template(self.text):
            return
        for at, value in values(self.text):
            if NOTHING.fullmatch(value.strip()):
                continue
            found, part = listed(value, self.links, whole_value=True)
            if found:
                yield self.say(
                    at, relation=relation, partial=partial or part or self.partly(value), future=future, references=found
                )

    def partly(self, value: str) -> bool:
        asides = " ".join(self.links.asides[int(n)] for n in re.findall(r"\x02(\d+)\x02", value))
        return bool(
            re.match(rf"\W*{_PART}", value, re.I) or re.search(r"\bonly\b|\bpart(?:ly|ial|ially)?\b|§|\bsection\b", asides, re.I)
        )

    # -- the status itself -------------------------------------------------------------------------------------------------------------

    def status(self) -> Iterator[Statement]:
        text = _checked(self.text)
        if NOTHING.fullmatch(text.strip()) or _is_template(text) or self._alternatives(text):
            return
        word = False
        for n, clause in enumerate(clauses(text, self.links)):
            if clause.aside and _WAS.match(clause.text):
                continue
            said = False
            if not clause.aside:
                for statement in self._words(clause, first=n == 0):
                    said = word = True
                    yield statement
            for statement in self._relations(clause, said):
                word = word or statement.relation in (Relation.ENDED_BY, Relation.CHANGED_BY)
                yield statement
        if not word:
            yield self.say(0, status=Status.UNKNOWN)

    def _alternatives(self, text: str) -> bool:
        """Whether the text still holds two alternatives to choose from, as a template does."""
        parts = re.split(r"\s*[|｜]\s*", text)
        return (
            len(parts) > 1
            and sum(1 for part in parts if self._chain(part)[0]) > 1
            or (len({s for s, _, _ in self._chain(re.sub(r"\s*/\s*", " , ", text))[0]}) > 2 and text.count("/") > 1)
        )

    def _words(self, clause: Clause, first: bool) -> Iterator[Statement]:
        found, end = self._chain(clause.text)
        whole = not re.search(r"\w", re.sub(r"\x02\d+\x02", "", clause.text[end:]))
        if not first and not whole:
            return
        for status, of_work, at in found:
            yield self.say(clause.start + at, status=status, whole=whole, of_work=of_work)

    def _chain(self, text: str) -> tuple[list[tuple[Status, bool, int]], int]:
        """The status words at the head of a text, joined by nothing but connectors, and where they end."""
        found: list[tuple[Status, bool, int]] = []
        at = _LEAD.match(text).end()  # type: ignore[union-attr]
        arrow = False
        while True:
            if (ended := ENDED_BY.match(text, at)) or (ended := _CJK_ENDED.match(text, at)):
                return found, ended.start()
            if partly := _PARTLY_ENDED.match(text, at):
                found.append((Status.PARTIALLY_SUPERSEDED, False, at))
                end = partly.end()
            elif skipped := _NO_NEWS.match(text, at):
                end = skipped.end()
            elif match := self.word.match(text, at):
                status, of_work = self.table[_folded(match[0])]
                if arrow and status is Status.LIVE and not of_work:
                    found = [f for f in found if f[0] is not Status.PROPOSED]
                found.append((status, of_work, at))
                end = match.end()
            elif partly := _PARTLY_LIVE.match(text, at):
                at = partly.end()
                continue
            else:
                return found, at if not found else _TRAIL.match(text, at).end()  # type: ignore[union-attr]
            joined = _JOINED.match(text, end)
            if not joined:
                return found, end
            arrow = bool(re.search(rf"->|{DATE}|\b(?:now|then)\b", joined[0]))
            at = joined.end()

    # -- relations within text ---------------------------------------------------------------------------------------------------------

    def _relations(self, clause: Clause, said: bool) -> Iterator[Statement]:
        """The relations in a clause of a status: the subject is this record, unless the text before the verb names another thing."""
        for relation, match, found, part in self._found(clause.text, loose=True):
            before = clause.text[: match.start()]
            subject = _after_words(before, self._chain(before)[1] if said else 0)
            about_this = bool(_NO_SUBJECT.match(subject) or _ABOUT_THIS.match(subject))
            if _NEGATED.search(before) or (relation is Relation.ENDS and not about_this):
                continue
            future = bool(_FUTURE.search(before))
            if relation is Relation.ENDED_BY and not about_this:
                found = tuple(reference for reference in found if reference.sure)
                part = True
            if found:
                yield self.say(clause.start + match.start(), relation=relation, partial=part, future=future, references=found)
        if match := re.match(r"\W*(?:see|siehe|voir|vea|ver|参照|参见)\b:?\s*(?:also\s+)?", clause.text, re.I):
            found, _ = listed(clause.text[match.end() :], self.links)
            if found:
                yield self.say(clause.start, relation=Relation.SEE, references=found)

    def _found(self, text: str, loose: bool) -> Iterator[tuple[Relation, re.Match[str], tuple[Reference, ...], bool]]:
        """Every relation in a clause with its references; `loose` takes plain words after "superseded by" for a name."""
        lowered = text.lower()
        if not any(stem in lowered for stem in RELATION_STEMS) and not (
            self.declaration.place is not Place.SENTENCE and any(stem in lowered for stem in _OTHER_STEMS)
        ):
            return
        at = 0
        while at < len(text):
            hits = [(r, m) for r, pattern in _PATTERNS for m in [pattern.search(text, at)] if m]
            if not hits:
                break
            relation, match = min(hits, key=lambda hit: hit[1].start())
            at = match.end()
            rest = text[at:]
            found, part = listed(
                rest, self.links, whole_value=loose and relation is Relation.ENDED_BY and bool(_STRONG.search(match[0]))
            )
            if (
                not found
                and relation is not Relation.ENDED_BY
                and (of := re.match(r"([^\x01,.;:]{1,80}?\b(?:of|in|from|aus|von|de|du)\b\s+)(?=\x01|ADR)", rest, re.I))
            ):
                found, part = listed(rest[of.end() :], self.links)[0], True
            groups = match.groupdict()
            part = part or bool(groups.get("before") or groups.get("after"))
            yield relation, match, found, part
        for relation, pattern in _CJK_PATTERNS if _HAS_CJK.search(text) else ():
            for match in pattern.finditer(text):
                groups = match.groupdict()
                named = groups.get("by") or groups.get("ends") or groups.get("ja") or ""
                found, part = listed(re.sub(r"^(?:已|は|本ADRは|本ADR)\s*", "", named.strip()), self.links)
                if found:
                    yield relation, match, found, part or bool(groups.get("part") or groups.get("part2"))

    def prose(self, head_only: bool = False) -> Iterator[Statement]:
        """The relations in free text: only such as are said of this record."""
        note, link = self.declaration.place is Place.NOTE, self.declaration.place is Place.LINK
        for n, clause in enumerate(clauses(self.text, self.links, sentences=True)):
            if note and n == 0:
                yield from self._note_words(clause)
            for relation, match, found, part in self._found(clause.text, loose=False):
                before = clause.text[: match.start()]
                if _NEGATED.search(before) or _NEGATED.match(clause.text[match.end() :]):
                    continue
                future = bool(_FUTURE.search(before))
                head = n == 0 and not clause.aside and bool(_NO_SUBJECT.match(before))
                about_this = not head_only and bool(_ABOUT_THIS.match(before))
                found = tuple(reference for reference in found if reference.sure)
                if not found or clause.aside:
                    continue
                if relation is Relation.ENDS and match[0].lower().lstrip().startswith("we "):
                    about_this = bool(re.search(r"\bwith\s+(?:this|the\s+(?:current|present))\b", clause.text, re.I))
                said = self.say(clause.start + match.start(), relation=relation, partial=part, future=future, references=found)
                if future and relation is not Relation.ENDED_BY:
                    continue
                if relation is Relation.ENDED_BY and not (about_this or (head and (note or link))):
                    if note and _SPEAKS_OF_THIS.search(clause.sentence):
                        yield self.say(
                            clause.start + match.start(), relation=relation, partial=True, future=future, references=found
                        )
                    elif not head and not future:
                        yield self.say(clause.start + match.start(), relation=Relation.SEE, references=found)
                elif about_this or head:
                    if (
                        not part
                        or relation in (Relation.ENDED_BY, Relation.CHANGED_BY)
                        or about_this
                        or link
                        or not self._possessive(clause.text, match.end())
                    ):
                        yield said
            if note and (match := re.search(r"\b(?:see|information,?\s+see|refer\s+to)\b:?\s*(?:also\s+)?", clause.text, re.I)):
                found = tuple(r for r in listed(clause.text[match.end() :], self.links)[0] if r.sure)
                if found:
                    yield self.say(clause.start + match.start(), relation=Relation.SEE, references=found)

    def _possessive(self, text: str, at: int) -> bool:
        return bool(re.match(r"[^\s\x01]*\s*(?:\x01\d+\x01|[\w-]+(?:\s+\d+)?)['’]s\b", text[at:]))

    def _note_words(self, clause: Clause) -> Iterator[Statement]:
        """A box such as "Deprecated: …" on top of a record ends it; milder words there are mere prose."""
        found, end = self._chain(
            re.sub(r"^\W*(?:note|warning|attention|important|caution|update)\b\W*", "", clause.text, flags=re.I)
        )
        closed = re.match(r"\s*(?:\x02\d+\x02)?\s*(?:[.:!]|$)", clause.text[len(clause.text) - len(clause.text.lstrip()) :][end:])
        if found and closed and found[0][0] in (Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED) and not found[0][1]:
            yield self.say(clause.start, status=found[0][0])

    def tags(self) -> Iterator[Statement]:
        for at, value in values(self.text):
            found, end = self._chain(value.strip())
            if found and end == len(value.strip()) and found[0][0] in (Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED):
                yield self.say(at, status=found[0][0])


_STRONG = re.compile(
    r"supers|superc|replac|obsolet|overrid|remplac|ersetzt|abgelöst|sustitu|reemplaz|substitu|sostituit|vervangen", re.I
)
_PATTERNS = (
    (Relation.ENDED_BY, ENDED_BY),
    (Relation.ENDS, ENDS),
    (Relation.CHANGED_BY, CHANGED_BY),
    (Relation.CHANGES, CHANGES),
)
_HAS_CJK = re.compile(f"[{CJK}]")
_CJK_PATTERNS = ((Relation.ENDED_BY, _CJK_ENDED), (Relation.ENDS, _CJK_ENDS), (Relation.CHANGED_BY, _CJK_CHANGED))
_LEAD = re.compile(
    rf"(?:\s|[>*:：.,!\"'“”‘’\[\]\x02-]|\d+\x02|{DATE}|\b(?:now|currently|has\s+been|have\s+been|is|was|been|already|status|current\s+status|fully|finally|formally|"
    rf"the|{THIS}|on|as\s+of|since|still|final\s+decision|update|note)\b)*",
    re.I,
)
_NO_NEWS = re.compile(
    r"(?:(?:not|un)[\s-]*(?:yet\s+)?(?:fully\s+|completely\s+)?(?:implemented|deployed|released|done|started|completed?)(?:\s+yet)?)\b",
    re.I,
)
_PARTLY_LIVE = re.compile(
    r"(?:partially|partly|mostly|fully|largely|lazily|unanimously|informally)\s+(?=accepted|approved|adopted|implemented|deployed|done|completed?|agreed)",
    re.I,
)
_PARTLY_ENDED = re.compile(rf"(?:{_PART}[\s,-]+{_ENDED}|{_ENDED}[\s,-]+{_PART})(?![\w-])", re.I)
_JOINED = re.compile(
    rf"(?:\s*\x02\d+\x02)*(?:\s*(?:[,;&/+>:：|、，→.]|->|-|–|—|{DATE}|\b(?:and|but|then|now|und|et|y|e|on|since|as\s+of|in|also|later|subsequently|to|with\s+modifications?)\b"
    r"|\x02\d+\x02)\s*|\s+)+",
    re.I,
)
_TRAIL = re.compile(rf"(?:\s|[.,:;-]|{DATE}|\x02\d+\x02|\b(?:on|in|since|as\s+of|with\s+modifications?)\b)*", re.I)


def _folded(word: str) -> str:
    return " ".join(re.sub(r"[\s_-]+", " ", word.casefold()).split()) if "pre-draft" not in word.lower() else "pre-draft"


def _after_words(before: str, end: int) -> str:
    return re.sub(rf"^(?:[\s,;&/.:-]|and|but|\x02\d+\x02|{DATE})*", "", before[end:], flags=re.I)


def _is_template(text: str) -> bool:
    return bool(re.search(r"\{[^}]*\}|\x03", text)) and not re.search(r"\w", re.sub(r"\{[^}]*\}|\x03", "", text))


def _checked(text: str) -> str:
    """The ticked lines of a list of check boxes; any other text as it is."""
    if not re.search(r"^\W*\[[ xX]\]", text):
        return text
    return re.sub(r"^\W*\[[xX]\]\s*", "", text) if re.search(r"^\W*\[[xX]\]", text) else ""
