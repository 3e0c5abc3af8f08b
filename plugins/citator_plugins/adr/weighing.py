"""The words with which records speak of the approaches that they weighed: their sections, and what was taken or turned down."""

import re

from citator.expressions import expression

CONSIDERED = expression(
    r"(?:\w+ ){0,3}(?:considered|possible|available|potential|candidate) (?:options|alternatives|solutions|approaches)|"
    r"(?:\w+ ){0,3}(?:options|solutions|approaches) (?:considered|considerations|evaluated|weighed|explored)|"
    r"(?:the )?(?:options|solutions|approaches)|"
    r"(?:betrachtete|erwogene|mögliche|untersuchte) (?:optionen|alternativen|varianten|lösungen)|optionen|"
    r"(?:options|solutions) (?:envisagées|considérées|étudiées)|opciones(?: consideradas)?|opções(?: consideradas)?|"
    r"検討した(?:選択肢|案)|選択肢|选项|考虑的(?:选项|方案)|备选项|方案",
    re.I,
)
"""Sections that list what was taken beside what was not."""

_ALTERNATIVES = (
    r"(?:(?:other |the |les |andere |autres |otras |outras )?(?:alternatives?|alternativen|alternativas?)"
    r"(?: (?:solutions?|approaches|options))?"
    r"(?:(?:[ ,/&+]+(?:and |but |mais |et |und |y |e |pero |aber )?)"
    r"(?:not chosen|not taken|rejected|considered|weighed|discarded|evaluated|dismissed|explored|envisagées?|considérées?|"
    r"étudiées?|rejetées?|écartées?|non retenues|consideradas?|evaluadas?|descartadas?|rechazadas?|rejeitadas?|avaliadas?|"
    r"verworfen|betrachtet|erwogen))*)"
)
TURNED_DOWN = expression(
    rf"(?:{_ALTERNATIVES}|"
    r"(?:rejected|discarded|considered and rejected|other|dismissed) "
    r"(?:alternatives?|options|approaches|solutions|shapes|designs|ideas)(?: considered)?|"
    r"(?:options|approaches|solutions|ideas) (?:rejected|discarded|not chosen|considered and rejected)|"
    r"considered(?:, | and | but )?(?:rejected|discarded|not chosen)|what was considered \+ rejected|"
    r"why (?:not )?(?:the )?alternatives(?: were rejected)?|(?:verworfene|abgelehnte) (?:alternativen|optionen|varianten)|"
    r"却下した(?:案|選択肢)|代替案|(?:备选|替代|被否决的)方案)",
    re.I,
)
"""Sections that list what was not taken."""

PROS = expression(
    r"(?:pros and cons|pros & cons|advantages and disadvantages|evaluation|comparison|vor- und nachteile|"
    r"avantages et inconvénients|ventajas y desventajas)"
    r"(?: (?:of|der|des|de las) (?:the )?(?:other |considered )?(?:options|alternatives|optionen|alternativen|opciones))?",
    re.I,
)
OUTCOME = expression(
    r"(?:the |proposed |our )?(?:decision(?: outcome)?|outcome|chosen(?: (?:option|solution|alternative|approach))?|resolution|"
    r"conclusion|entscheidung(?:sergebnis)?|ergebnis|décision|decisión|decisão|decisione|besluit|決定(?:内容)?|决策|决定)",
    re.I,
)
CONSEQUENCES = expression(
    r"(?:positive |negative )?(?:consequences|implications)|(?:comparison|evaluation)(?: \w+)?|summary|trade-?offs|"
    r"rationale|confirmation|more information|links|references|notes|"
    r"context|konsequenzen|begründung|conséquences|consecuencias|consequências|justificación",
    re.I,
)

TAKEN = (
    r"(?:chosen|selected|accepted|recommended|adopted|preferred|taken|picked|gewählt|ausgewählt|empfohlen|angenommen|"
    r"retenue?s?|choisie?s?|adoptée?s?|recommandée?s?|elegid[oa]s?|escolhid[oa]s?|sele(?:c)?cionad[oa]s?|ado(?:p)?tad[oa]s?|"
    r"recomendad[oa]s?|scelt[oa]|gekozen|dipilih|採用(?!し?(?:ない|せず))|推奨|本決定|采用|选定|选择|推荐)"
)
NOT_TAKEN = (
    r"(?:rejected|discarded|dismissed|declined|ruled out|not (?:chosen|selected|taken|adopted)|verworfen|abgelehnt|"
    r"nicht gewählt|rejetée?s?|écartée?s?|refusée?s?|non retenue?s?|descartad[oa]s?|rechazad[oa]s?|rejeitad[oa]s?|"
    r"recusad[oa]s?|scartat[oa]|afgewezen|ditolak|却下|不採用|見送り|拒绝|否决)"
)
_ENDS = (
    r"(?=\W*$|\s*[.,;:!)\]*_—–（(。、]|"
    r"\s+(?:because|since|as|for|due|in|by|on|under|against|until|weil|wegen|car|parce|porque|por|para|karena|twice)\b)"
)
_WAS = r"(?:(?:was|were|is|wurde|est|a été|fue|foi)\s+)?"
_THING = r"(?:\s+(?:option|here|solution|approach|alternative))?"
_TICK, _CROSS = r"(?:✅|✓|✔️?|☑️?)", r"(?:❌|✗|✘)"

NAMED_TAKEN = expression(
    rf"\s*[(\[（*_—–-]+\s*{TAKEN}\b{_THING}[^()\[\]（）]{{0,20}}[)\]）*_]*\s*$|\s*{_TICK}\W*+(?:{TAKEN})?\W*$|"
    rf"^\s*(?:{_TICK}|chosen:)\s*",
    re.I,
)
NAMED_NOT_TAKEN = expression(
    rf"\s*(?:[(\[（*_—–→-]+|->)\s*{NOT_TAKEN}(?:\b|(?<=[\u3040-\u9fff]))[^()\[\]（）]{{0,20}}[)\]）*_]*\s*$|\s*{_CROSS}\W*+(?:{NOT_TAKEN})?\W*$|"
    rf"^\s*(?:{_CROSS}|\(?rejected(?: alternative)?\)?\s*[:—–-])\s*",
    re.I,
)
"""What a name ends or begins with where it says that it was taken, or turned down."""

SAYS_TAKEN = expression(rf"\W*(?:{_TICK}|{TAKEN}{_ENDS})", re.I)
SAYS_NOT_TAKEN = expression(rf"(?:^|[.;!?。]\s*|\s[—–→-]+\s+|,\s+(?=was\s|were\s))\W*(?:{_CROSS}|{_WAS}{NOT_TAKEN}{_ENDS})", re.I)
"""How what is said of an option begins where it tells that it was taken, and a clause of it that it was turned down."""

OPTION = (
    r"(?:(?:options?|alternatives?|approach|variant|solution|idea|alternativ[ae]|variante|opci[oó]n|opção|lösung)\s*"
    r"(?:#|no\.?\s*)?|選択肢\s*|案\s*|方案\s*|选项\s*)"
)
"""What stands before an option's number."""

NAME_COLUMN = expression(
    r"(?:.* )?(?:options?|alternatives?|approach(?:es)?|solutions?|variants?|choices?|candidates?|ansatz|lösung|varianten?|"
    r"alternativ[ae]|opci[oó]n|opção)|案|選択肢|方案|选项|手法",
    re.I,
)
VERDICT_COLUMN = expression(
    r"verdict|decision|status|outcome|result|(?:reason|why).*|rationale|bewertung|entscheidung|begründung|grund|décision|raison|"
    r"decisión|decisão|veredicto|motivo|採否|結論|判定|理由|却下理由|结论",
    re.I,
)
AGAINST_COLUMN = expression(
    r"cons?|contra|contre|against|disadvantages?|drawbacks?|downsides?|nachteile?|inconvénients?|desventajas?|desvantagens|デメリット|缺点",
    re.I,
)
_AGAINST = (
    r"^\W*(?:(?:very )?bad|cons?|contras?|negative|disadvantages?|drawbacks?|downsides?|nachteile?|inconvénients?|desventajas?|"
    r"desvantagens|デメリット|缺点|❌|👎)\b|^\W*(?:❌|👎)|^\s*`?-{1,2}`?\s|^\W*\[?-\]?\s"
)
_FOR = r"\W*(?:pros?|good|great|advantages?|vorteile?|avantages?|ventajas?|vantagens|メリット|优点)\b"
AGAINST = expression(_AGAINST, re.I)
FOR = expression(_FOR, re.I)
"""How an argument against, or for, an option begins."""

ARGUMENTS = expression(rf"(?:{_FOR}|{_AGAINST})\W*", re.I)
"""What is only the heading of arguments."""


def is_known(title: str) -> bool:
    """Whether a heading below a list of options is that of another section, and no option."""
    name = re.sub(r"^[\W\d]+", "", title).strip(" :").lower()
    return any(section.fullmatch(name) for section in (PROS, OUTCOME, CONSEQUENCES))
