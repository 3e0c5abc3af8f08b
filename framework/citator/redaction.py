"""Secrets in text of unknown origin -> `[redacted]`: providers' tokens by detect-secrets' patterns, others by their names."""

import re
from collections.abc import Collection
from functools import cache

REDACTED = "[redacted]"

_SUSPECT = re.compile(r"[\w/+=.~-]{16}|://[^\s/]*@|-----BEGIN")
"""What every secret has somewhere; most text has it nowhere, and then nothing is loaded."""

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----.*?(-----END[^\n]*|\Z)", re.DOTALL)
_ASSIGNED = re.compile(
    r"""(?:passw(?:or)?d|passphrase|pwd|secret|(?:api|access|secret)[ _.-]?key|(?:access|auth|api|refresh)[ _.-]?token)
    [*`"'\\]{0,3}[ \t]*[:=]{1,2}>?[*`]{0,2}[ \t]*\\?["'`]?
    (?P<value>[^\s"'`]{7,}[^\s"'`\\,;.)\]}*])""",
    re.IGNORECASE | re.VERBOSE,
)
"""A value at a name that says secret, as code, JSON, YAML, the environment and notes write it."""

_NO_VALUE = re.compile(
    r"""\$[a-z_{(] | <.*>$ | \{\{ | %\w+%$ | .*\*{3} | \w+://
    | (?:~|\.\.?)?(?:/[\w.@-]+)+/?$ | [\w.-]+(?:/[\w.-]+)*/[\w-]+\.\w{1,5}$ | [a-z]:\\ | [a-z_][\w.]*[(\[]""",
    re.IGNORECASE | re.VERBOSE,
)
"""What stands there for a secret: a variable, a placeholder, a mask, an address, a path, a call."""

_SHORTEST = 8
_RUN = r"[\w.~+/=-]*"
_OTHER = frozenset({"IPPublicDetector", "PrivateKeyDetector"})


def redact(text: str) -> str:
    """The text without private keys, tokens of known providers, passwords in addresses and values whose name says secret."""
    return _ASSIGNED.sub(_without_value, _without_tokens(text) if _SUSPECT.search(text) else text)


def _without_tokens(text: str) -> str:
    text = _PRIVATE_KEY.sub(REDACTED, text)
    for pattern in _patterns():
        for secret in {_secret(match) for match in pattern.finditer(text)}:
            text = re.sub(rf"{_RUN}{re.escape(secret)}{_RUN}", REDACTED, text)
    return text


def _without_value(match: re.Match[str]) -> str:
    value = match["value"]
    if not re.search(r"[^\W\d_]", value) or not re.search(r"\d", value) or _NO_VALUE.match(value):
        return match[0]
    return match[0].removesuffix(value) + REDACTED


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
