"""The patterns by which a clause's subject, negation, time and connecting words are told. Part of the status rule."""

import re

from citator.expressions import expression
from citator.relations import BY, PART

_RECORD = (
    r"(?:m?adrs?|oeps?|rfcs?|peps?|keps?|eips?|bips?|hips?|seps?|decisions?(?:\s+records?)?|records?|documents?|proposals?|standards?|specifications?|"
    r"guidelines?|policy|note|entscheidung|dokument|décision|decisión|registro|documento|決定|文書|记录|文档|决策)"
)
_ANOTHER = r"(?:previous|prior|earlier|preceding|other|related)\b"
_THIS = (
    rf"(?:(?:this|the\s+present|the\s+current|our(?!\s+(?:old|older|former|first|original|initial|last)\b))\s+(?!{_ANOTHER})(?:[a-z]+\s+)?{_RECORD}|diese[rs]?\s+{_RECORD}|ce(?:tte|t)?\s+{_RECORD}|est[ea]\s+{_RECORD}|"
    rf"本{_RECORD}|この{_RECORD})(?:[\s-]+\d+)?"
)
# Possessive, so that no text makes the patterns below try every way to part it.
_ADVERBS = (
    rf"(?:{PART}|\x02\d+\x02|[\s\x04,:*>!.\d-]|\b(?:also|therefore|thereby|hereby|thus|now|effectively|formally|completely|entirely|fully|wholly|"
    r"explicitly|directly|jointly|both|has|have|had|been|is|are|was|were|being|it|and|which|that|but|since|already|in|its|entirety|wurde|wird|ist|sind|"
    r"a|été|est|ha|sido|fue|foi|è|stato|stata|был[ао]?|implicitly|tacitly|silently|status|then|later|subsequently|provisionally|temporarily|however|note|update|warning|important|"
    r"attention|caution|as\s+such|so|accordingly)\b|[已现は])*+"
)
ABOUT_THIS = expression(rf"…?{_ADVERBS}{_THIS}{_ADVERBS}", re.I)
ITSELF = expression(
    rf"{_ADVERBS}(?:this|(?:(?:the|die|das|la|le|el|o|a)\s+)?(?:whole\s+|entire\s+|original\s+)?{_RECORD}(?!\s*#?\d)){_ADVERBS}",
    re.I,
)
"""The record, where nothing else can be meant: in its status or in a note on top."""
NO_SUBJECT = expression(rf"{_ADVERBS}(?:(?<!\d\s)|(?<=\b19\d\d\s)|(?<=\b20\d\d\s))", re.I)
"""A number right before the verb is another record's, "0004 supersedes 0002", unless it is a year."""
SPEAKS_OF_THIS = expression(rf"\b{_THIS}|\b(?:recorded|described|made|taken)\s+(?:below|here)\b", re.I)
WITH_THIS = expression(r"\bwith\s+(?:this|the\s+(?:current|present))\b", re.I)
NEGATED = expression(
    r"\b(?:not|never|without|neither|nor|nothing|none|no(?!\.\s*\d)|cannot|rather\s+than|instead\s+of|nicht|kein\w*|pas|ne|nunca)\b|n['’]t\b|[不没未]",
    re.I,
)
FUTURE = expression(
    r"\b(?:will|would|shall|should|could|can|may|might|must|to\s+be|until|unless|if|when|whenever|once|before|after|proposes?\s+to|intends?\s+to|"
    r"plans?\s+to|wird|sera|será)\b|[将將]|予定",
    re.I,
)
WAS = expression(
    r"\s*(?:was|were|previously|formerly|originally|before|earlier|history|ehemals|vormals|auparavant|antes)\b", re.I
)
_SEE = r"(?:\b(?:see|cf\.?|refer\s+to|siehe|voir|vea|ver|vedi|zie|см\.?)(?!\w):?\s*(?:also\s+)?|参照:?|参见:?|参阅:?|见:?)"
SEE = expression(_SEE, re.I)
POINTS = expression(rf"(?:[\s\x04,，;:：>=-]|\b{BY}\b)*+(?P<see>{_SEE})?\s*", re.I)
"""What stands between a status and the record that it points at."""
BOX = expression(r"\W*\b(?:note|warning|attention|important|caution|update)\b\W*", re.I)
NAMES_A_RECORD = expression(r"\d|\]\(|\[\[")
ENDING_STEM = expression(
    r"supers|superc|replac|obsol|deprec|reject|withdr|retir|rempla|refus|dépréc|ersetz|abgelehnt|veraltet|замен|[대폐廃弃取拒]",
    re.I,
)
SPEAKS_FOR_ITSELF = expression(
    r"\b(?:this|the\s+(?:present|current)|our|we|diese[rs]?|ce(?:tte|t)?|est[ea])\b|[本この]|^\W*(?:\w+\W+)?\w*(?:supers|superc|replac|obsolet|overr|retir|"
    r"emplac|emplaz|rsetz|stitu|vervang|замен)|\bby\b|durch|[取替置廃대교]|замен",
    re.I,
)
"""A sentence without any of these says nothing of its own record."""
NAMES_FIRST = expression(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|durch ")
SOME_OF_IT = expression(r"(?:일부|부분적으로|部分|一部)\s*")
IN_PART = expression(rf"{PART}", re.I)
OF = expression(r"[^\x01,.;:]{1,80}?\b(?:of|in|from|aus|von|de|du)\b\s+(?=\x01|ADR)", re.I)

LEAD = expression(
    r"(?:\x02\d+\x02|:[a-z_]+:|[\s\x04>*:：.,!\"'“”‘’\[\]-]|\b(?:now|currently|has\s+been|have\s+been|is|was|been|already|(?:current\s+)?status|fully|"
    rf"finally|formally|the|{_THIS}|on|as\s+of|since|still|final\s+decision|update|note)\b)*+",
    re.I,
)
NO_NEWS = expression(
    r"(?:not|un)[\s-]*(?:yet\s+)?(?:fully\s+|completely\s+)?(?:implemented|deployed|released|done|started|completed?)(?:\s+yet)?\b",
    re.I,
)
PARTLY_LIVE = expression(
    r"(?:partially|partly|mostly|fully|largely|lazily|unanimously|informally)\s+(?=accepted|approved|adopted|implemented|deployed|done|complete|agreed)",
    re.I,
)
JOINED = expression(
    r"(?:\x02\d+\x02|->|[\s\x04,;&/+>:：|、，.–—-]|\b(?:and|but|then|now|und|et|y|e|on|since|as\s+of|in|also|later|subsequently|to|with\s+modifications?)\b)++",
    re.I,
)
LIFTED = expression(r"->|\x04|\b(?:now|then)\b", re.I)
AFTER_WORDS = expression(r"(?:[\s\x04,;&/.:-]|\b(?:and|but)\b|\x02\d+\x02)*+", re.I)
_OVER = (
    r"(?:no\s+longer|any\s?more|nicht\s+mehr|ya\s+no|rolled\s+back|backed\s+out|phased\s+out|given\s+up|expired?s?|overturned|undone|repealed|annulled|"
    r"voided|dead|in\s+the\s+past)\b"
)
_UNTIL = (
    r"(?:(?:valid|binding|applicable|gültig)\s+)?(?:only\s+)?\b(?:until|till|up\s+to|bis|jusqu['’]au?|hasta)\s+"
    r"(?:(?:the|end|of|zum|le|el)\s+)*(?:\x04|\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)"
)
OVER = expression(rf"{_ADVERBS}{_OVER}", re.I)
OVER_OR_ENDING = expression(rf"{_ADVERBS}(?:{_OVER}|{_UNTIL})", re.I)
"""That the record's time is over, in other words than those of the table, or ends on a day that the rule does not look up."""
REASON = expression(r"(?<=:\s)|(?<=：)|(?<=since\s)|(?:because|as|due\s+to|owing\s+to)\b", re.I)
"""What goes on behind a status word that is no mere attribute: "Deprecated because …", not "Deprecated options"."""
SIGN_OF_END = expression(r"^\W*[🚫❌⛔🛑🗑🪦✖✗✘]|[🚫❌⛔🛑🗑🪦✖✗✘]\W*+$")
