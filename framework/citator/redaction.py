"""Secrets in text of unknown origin -> `[redacted]`, by the patterns that detect-secrets keeps of providers' keys and tokens."""

import re
from collections.abc import Collection
from functools import cache

REDACTED = "[redacted]"

_SUSPECT = re.compile(r"[\w/+=.~-]{16}|://[^\s/]*@|-----BEGIN")
"""What every secret has somewhere; most text has it nowhere, and then nothing is loaded."""

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----.*?(-----END[^\n]*|\Z)", re.DOTALL)
_SHORTEST = 8
_RUN = r"[\w.~+/=-]*"
_OTHER = frozenset({"IPPublicDetector", "PrivateKeyDetector"})


def redact(text: str) -> str:
    """The text without private keys, tokens of known providers and passwords in addresses."""
    if not _SUSPECT.search(text):
        return text
    text = _PRIVATE_KEY.sub(REDACTED, text)
    for pattern in _patterns():
        for secret in {_secret(match) for match in pattern.finditer(text)}:
            text = re.sub(rf"{_RUN}{re.escape(secret)}{_RUN}", REDACTED, text)
    return text


def _secret(match: re.Match[str]) -> str:
    """What of a match is secret: its last group (of an address, the password), unless that is only a token's kind."""
    part: str = match[match.lastindex or 0] or ""
    return part if len(part) >= _SHORTEST else match[0]


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    known: Collection[type] = get_mapping_from_secret_type_to_class().values()
    used = (cls() for cls in known if issubclass(cls, RegexBasedDetector) and cls.__name__ not in _OTHER)
    return tuple(pattern for detector in used for pattern in detector.denylist)
