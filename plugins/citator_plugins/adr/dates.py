"""Days as people write them in records."""

import re
from collections.abc import Mapping
from datetime import date

from citator.expressions import expression

LABELS = ("date", "datum", "fecha", "data", "дата", "日付", "日期", "날짜")
"""What the field for a record's day is called, in lower case."""

_MONTHS = """
    january januar janvier enero janeiro gennaio januari января; february februar février febrero fevereiro febbraio februari
    февраля; march märz mars marzo março maart марта; april avril abril aprile апреля; may mai mayo maio maggio mei мая;
    june juni juin junio junho giugno июня; july juli juillet julio julho luglio июля; august août agosto augustus августа;
    september septembre septiembre setembro settembre сентября; october oktober octobre octubre outubro ottobre октября;
    november novembre noviembre novembro ноября; december dezember décembre diciembre dezembro dicembre декабря
"""
_NUMBERS: Mapping[str, int] = {name: n for n, names in enumerate(_MONTHS.split(";"), 1) for name in names.split()}
_SHORT: Mapping[str, int] = {name[:3]: n for name, n in reversed(list(_NUMBERS.items())) if name.isascii()}
"""The beginnings of the names, the English ones before the others; `jun` and `jul` stand for the same in all languages."""

_NUMERIC = expression(
    r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b|\b(?P<d2>\d{1,2})\.\s?(?P<m2>\d{1,2})\.\s?(?P<y2>\d{4})\b"
    r"|(?P<y3>\d{4})\s*[年년]\s*(?P<m3>\d{1,2})\s*[月월]\s*(?P<d3>\d{1,2})\s*[日일号]"
)
_NAMED = expression(
    r"\b(?P<d>\d{1,2})(?:st|nd|rd|th|er|º|°)?[.\s-]+(?:of\s+|de\s+)?(?P<m>[^\W\d_]{3,})[.,\s-]+(?:de[l]?\s+)?(?P<y>\d{4})\b"
    r"|\b(?P<m2>[^\W\d_]{3,})[.\s]+(?P<d2>\d{1,2})(?:st|nd|rd|th)?[,\s]+(?P<y2>\d{4})\b",
    re.I,
)


def day_of(text: str) -> str:
    """The first day that a text names, as YYYY-MM-DD, or nothing; `3/4/2024` is left out, for it may be either of two."""
    found = sorted((*_NUMERIC.finditer(text), *_NAMED.finditer(text)), key=lambda match: match.start())
    return next(filter(None, map(_day, found)), "")


def _day(match: re.Match[str]) -> str:
    parts = {name[0]: value for name, value in match.groupdict().items() if value}
    month = _month(parts["m"])
    try:
        return date(int(parts["y"]), month, int(parts["d"])).isoformat()
    except ValueError:
        return ""


def _month(text: str) -> int:
    if text.isdecimal():
        return int(text)
    name = text.lower()
    return _NUMBERS.get(name) or (_SHORT.get(name, 0) if len(name) == 3 else 0)
