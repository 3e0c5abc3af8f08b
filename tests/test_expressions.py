"""Regular expressions that are compiled when they are first used."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import citator
import citator_plugins
from citator.expressions import expression

PACKAGES = [Path(str(package.__file__)).parent for package in (citator, citator_plugins)]
HOMES = sorted(
    ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
    for package in PACKAGES
    for file in package.rglob("*.py")
    if "from citator.expressions import" in file.read_text("utf-8")
)


def expressions(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, type(expression(""))):
        yield value
    elif isinstance(value, type):
        yield from (each for each in vars(value).values() if isinstance(each, type(expression(""))))
    elif isinstance(value, tuple):
        for part in value:
            yield from expressions(part)


@pytest.mark.parametrize("module", HOMES)
def test_every_expression_compiles(module: str) -> None:
    found = [each for value in vars(import_module(module)).values() for each in expressions(value)]
    assert found
    assert all(re.compile(each.pattern, each.flags) for each in found)


def test_an_expression_is_what_it_compiles_to() -> None:
    number = expression(r"(?P<number>\d+)", re.IGNORECASE)
    assert number.sub("x", "a1b22") == re.compile(number.pattern, number.flags).sub("x", "a1b22") == "axbx"
