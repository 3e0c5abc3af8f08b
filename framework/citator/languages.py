"""The language in which a record says how it stands, and how that is said in each."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from citator.expressions import expression

DEFAULT = "en"
SAYINGS: Mapping[str, tuple[str, str]] = {
    DEFAULT: ("superseded by", "supersedes {}"),
    "de": ("ersetzt durch", "löst {} ab"),
    "fr": ("remplacé par", "remplace {}"),
    "es": ("sustituido por", "sustituye {}"),
    "pt": ("substituído por", "substitui {}"),
    "it": ("sostituito da", "sostituisce {}"),
    "nl": ("vervangen door", "vervangt {}"),
    "ru": ("заменено на", "заменяет {}"),
}
"""What is written in front of the name of a record that replaced this one, and around that of one that this one replaced.

A bare "Ersetzt" is the German status too, so that the status rule takes a name behind it for the successor's.
"""
_SIGNS = {
    DEFAULT: expression(
        r"\b(?:accepted|approved|adopted|agreed|decided|proposed|draft|rejected|deprecated|superseded|supersedes|replaced|replaces|obsoleted|"
        r"context|decision|consequences|by)\b",
        re.I,
    ),
    "de": expression(
        r"\b(?:akzeptiert|angenommen|beschlossen|genehmigt|gültig|verabschiedet|entschieden|freigegeben|bestätigt|umgesetzt|vorgeschlagen|"
        r"entwurf|abgelehnt|verworfen|zurückgezogen|veraltet|überholt|aufgehoben|ersetzt|abgelöst|durch|kontext|entscheidung|konsequenzen|"
        r"folgen)\b",
        re.I,
    ),
    "fr": expression(
        r"\b(?:accepté|approuvé|adopté|validé|acté|décidé|retenu|proposé|brouillon|rejeté|refusé|abandonné|remplac|déprécié|obsolète)\w*"
        r"|\b(?:par|contexte|décision|conséquences|statut)\b",
        re.I,
    ),
    "es": expression(
        r"\b(?:aceptad|aprobad|adoptad[oa]\b|propuest|borrador|rechazad|sustituid|sustituye|reempla[zc]|obsoleto\b)\w*"
        r"|\b(?:contexto|decisión|consecuencias|estado)\b",
        re.I,
    ),
    "pt": expression(
        r"\b(?:aceit[oae]|aprovad|rascunho|rejeitad|substituíd|substitui\b|decisão|consequências)\w*|\bpel[oa]\b", re.I
    ),
    "it": expression(
        r"\b(?:accettat|approvat|bozza|rifiutat|sostituit|sostituisc|contesto|decisione|conseguenze|stato\b)\w*", re.I
    ),
    "nl": expression(
        r"\b(?:geaccepteerd|goedgekeurd|aanvaard|aangenomen|voorgesteld|afgewezen|vervangen|vervangt|verouderd|besluit|gevolgen|door)\b",
        re.I,
    ),
    "ru": expression(r"[а-яё]{4,}", re.I),
    "zh or ja": expression(r"[\u3040-\u30ff\u3400-\u9fff]"),
    "ko": expression(r"[\uac00-\ud7a3]{2}"),
}
_LINK = expression(r"\[[^\]]*\](?:\([^)]*\))?|\bhttps?://\S+")


def language(texts: Iterable[str]) -> str:
    """The language that most of some statuses, headings or names of fields are in; empty where none of them tells."""
    counts: Counter[str] = Counter()
    for text in texts:
        bare = _LINK.sub(" ", text)
        counts.update({name: found for name, signs in _SIGNS.items() if (found := len(signs.findall(bare)))})
    return counts.most_common(1)[0][0] if counts else ""
