"""Text of unknown origin -> one line that is safe to show and to hand over."""

import re
from itertools import pairwise

from citator.expressions import expression

_EMOJI = "©®‼⁉™ℹ↔-⇿⌀-⏿Ⓜ▪-◿☀-➿⤴⤵⬀-⯿〰〽㊗㊙\U0001f000-\U0001faff"

# What is kept of the invisible characters: a presentation selector behind the emoji it belongs to, a joiner between two emoji.
_SELECTOR = rf"(?<=[{_EMOJI}])[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f(?=\u20e3)"
_JOINER = rf"(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"

# Unicode's Cc, Cf, Co, noncharacters and default-ignorable code points, less those controls that are white space.
_INVISIBLE = (
    r"[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 14))
    + r"\U000e0000-\U000e0fff\U000efffe-\U0010ffff]"
)
_UNSEEN = expression(rf"({_SELECTOR}|{_JOINER})|{_INVISIBLE}")
_SURROGATE = expression(r"[\ud800-\udfff]")
_FENCE = expression(r"([`~])\1{2,}")


def clean(text: str) -> str:
    """The text as one line of valid UTF-8: white space is one blank, invisible characters are gone, lone surrogates are `�`."""
    return " ".join(_UNSEEN.sub(r"\1", _SURROGATE.sub("\ufffd", text)).split())


def inert(text: str) -> str:
    """The cleaned text with nothing in it that opens or closes a tag (`<` becomes `‹`) or a code fence."""
    return _FENCE.sub(r"\1", clean(text).replace("<", "‹"))


def cut(text: str, limit: int) -> str:
    """The clean text in at most `limit` bytes of UTF-8, cut at a grapheme's end and closed by `…`; empty where none fits."""
    head = text[: limit + 1]
    if len(head.encode()) <= limit:
        return text
    import regex  # Unicode's grapheme rules need tables that the standard library lacks; most texts fit and never load them

    end, room = 0, limit - len("…".encode())
    for grapheme in regex.finditer(r"\X", head):
        room -= len(grapheme[0].encode())
        if room < 0:
            break
        end = grapheme.end()
    return head[:end].rstrip() + "…" if end else ""


_WORD = expression(r"[\w+#.]*[\w+#]")
_HAN = expression(r"[\u3040-\u30ff\u4e00-\u9fff]+")
_FILLERS = frozenset(
    "a an the of to for in on with and or use using used uses adopt keep we our as is be by via it its this that option "
    "alternative approach solution variant just only der die das den ein eine le la les un une el los".split()
)


def telling(text: str) -> frozenset[str]:
    """The words of a name that tell it from others, in lower case: "Use Redis" and "redis" have the same.

    Of Chinese and Japanese, which part no words, the pairs of signs.
    """
    words = _WORD.findall(_HAN.sub(lambda run: f" {' '.join(map(''.join, pairwise(run[0]))) or run[0]} ", text.casefold()))
    return frozenset(word for word in words if word not in _FILLERS)


def weight_of(text: str) -> float:
    """A weight as front matter has it; whatever is no number above 0 says nothing."""
    found = re.fullmatch(r"\d{1,3}(?:\.\d+)?", text.strip())
    return float(found[0]) or 1.0 if found else 1.0
