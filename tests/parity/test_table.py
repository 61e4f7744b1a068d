"""The page about the doors is the suite's own table."""

from collections import Counter
from pathlib import Path

import pytest

from tests.parity import table
from tests.parity.door import Door, why_not
from tests.parity.doors import DOORS


def all_numbers() -> list[str]:
    return [rule.number for module in table.SECTIONS for rule in table.rules_of(module)]


def test_the_page_is_what_the_suite_says() -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.page(), "run: python -m tests.parity.table"


def test_every_module_of_the_suite_is_in_the_table() -> None:
    modules = {path.stem for path in Path(table.__file__).parent.glob("test_*.py")}
    assert modules - {"test_table"} == set(table.SECTIONS)


def test_every_rule_has_a_number_of_its_own() -> None:
    assert [number for number, times in Counter(all_numbers()).items() if times > 1] == []


@pytest.mark.parametrize("door", DOORS, ids=[door.title for door in DOORS])
def test_a_door_lacks_only_rules_that_there_are(door: Door) -> None:
    for number in door.lacks:
        assert any(each.startswith(number) for each in all_numbers()), f"there is no rule {number}"


def test_every_rule_is_some_doors() -> None:
    for number in all_numbers():
        assert any(why_not(door, number) is None for door in DOORS), f"no door has rule {number}"
