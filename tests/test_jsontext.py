import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.jsontext import merge, parse, without

OURS = {"run": "citator here", "timeout": 2}
ADDITION = {"hooks": {"said": [{"hooks": [OURS]}], "read": [OURS]}}


def is_ours(text: str) -> bool:
    return text == "citator here"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{\n  "on": [\n    1\n  ]\n}'),
        ('{"a": 1}', '{"a": 1, "on": [1]}'),
        ('{"on": [0], "a": 1}\n', '{"on": [0, 1], "a": 1}\n'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"on": [\n\t\t1\n\t]\n}\n'),
        ('{\r\n    "on": []\r\n}', '{\r\n    "on": [\r\n        1\r\n    ]\r\n}'),
        ('{\n  "on": [\n    0\n  ],\n  "z": 1.50e+3\n}', '{\n  "on": [\n    0,\n    1\n  ],\n  "z": 1.50e+3\n}'),
        ('{ "on" : [ 0 ] }', '{ "on" : [ 0, 1 ] }'),
    ],
)
def test_what_is_added_follows_the_texts_own_layout(text: str, expected: str) -> None:
    assert merge(text, {"on": [1]}) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{\n  // first\n  "a": 1 // after\n}\n',
        '{\n  "a": 1, // after\n  /* the end */\n}\n',
        "{\n  /* nothing yet */\n}\n",
        '{\n  "hooks": {\n    "said": [\n      {"hooks": []}, // theirs\n    ],\n  },\n}\n',
        '// only\n{"a": {"b": []}}\n',
    ],
)
def test_comments_and_trailing_commas_stay_where_an_agent_takes_them(text: str) -> None:
    merged = merge(text, ADDITION, comments=True)
    assert parse(merged, comments=True).value == expected(parse(text, comments=True).value)
    assert re.findall(r"//.*|/\*.*?\*/", merged) == re.findall(r"//.*|/\*.*?\*/", text)
    assert without(merged, is_ours, parse(text, comments=True).value, comments=True) == text


def expected(value: object) -> object:
    """What a merge should make of a value, worked out on the value instead of the text."""
    assert isinstance(value, dict)
    hooks = value.get("hooks", {})
    more = {key: [*hooks.get(key, []), *items] for key, items in ADDITION["hooks"].items()}
    return {**value, "hooks": {**hooks, **more}}


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=12
)
items = st.lists(st.dictionaries(st.sampled_from(["run", "matcher"]), st.text(), min_size=1), max_size=2)
settings = st.dictionaries(st.text(), values, max_size=4).flatmap(
    lambda rest: st.fixed_dictionaries(
        {}, optional={"hooks": st.fixed_dictionaries({}, optional={"said": items, "read": items})}
    ).map(lambda hooks: {**{key: value for key, value in rest.items() if key != "hooks"}, **hooks})
)


@given(settings, st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans(), st.booleans(), st.sampled_from(["", "\n", " \n"]))
def test_adding_and_taking_out_gives_the_same_bytes(
    value: dict[str, object], indent: int | str | None, ascii_only: bool, crlf: bool, end: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only) + end
    text = text.replace("\n", "\r\n") if crlf else text
    merged = merge(text, ADDITION)
    assert json.loads(merged) == expected(value)
    assert merge(merged, ADDITION) == merged
    if indent is not None or "\n" not in text.strip():
        assert without(merged, is_ours, value) == text


@given(settings)
def test_text_is_read_as_the_standard_library_reads_it(value: dict[str, object]) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        assert parse(text).value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ('{"a": 1,}', 1),
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ("{'a': 1}", 1),
        ('{\n  // no\n  "a": 1\n}', 2),
        ('{"a": NaN}', 1),
        ('{"a": 01}', 1),
        ('{"a": "\n"}', 1),
        ('{"a": "\\x"}', 1),
        ('{"a": 1}}', 1),
        ("{1: 2}", 1),
        ("{,}", 1),
        ("[1 2]", 1),
        ('{"a" 1}', 1),
    ],
)
def test_broken_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"is not valid JSON at line {line}$"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "is no JSON object"),
        ('{"hooks": []}', "has a hooks that is no object"),
        ('{"hooks": {"said": {}}}', "has a hooks.said that is no list"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_another_kind_of_value_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        merge(text, ADDITION)


def test_only_our_item_goes_where_others_were_put_beside_it() -> None:
    text = merge('{\n  "a": 1\n}', ADDITION)
    edited = parse(text).value
    assert isinstance(edited, dict)
    edited["hooks"]["said"][0]["hooks"].append({"run": "theirs"})
    edited["hooks"]["read"].insert(0, {"run": "first"})
    edited["hooks"]["read"][1]["timeout"] = 5
    left = without(json.dumps(edited, indent=2), is_ours, {"a": 1})
    assert json.loads(left) == {"a": 1, "hooks": {"said": [{"hooks": [{"run": "theirs"}]}], "read": [{"run": "first"}]}}
    assert without(left, is_ours, {"a": 1}) == left
