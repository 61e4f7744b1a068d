"""Which tools may be called at all."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.tools.policy import MOST_DECISIONS, ToolPolicy


def test_without_globs_everything_is_allowed() -> None:
    policy = ToolPolicy()
    assert policy.allows("anything")
    assert policy.allows("")


def test_an_allow_list_is_a_whitelist() -> None:
    policy = ToolPolicy(allow=["lookup_*", "ask"])
    assert policy.allows("lookup_order")
    assert policy.allows("ask")
    assert not policy.allows("ask_twice")
    assert not policy.allows("Lookup_order")


def test_deny_wins() -> None:
    policy = ToolPolicy(allow=["*"], deny=["admin_?", "*_delete"])
    assert policy.allows("admin_10")
    assert not policy.allows("admin_1")
    assert not policy.allows("order_delete")


def test_a_role_has_its_own_policy_in_place_of_the_general_one() -> None:
    policy = ToolPolicy(deny=["refund"], roles={"supervisor": ToolPolicy(), "guest": ToolPolicy(allow=["ask"])})
    assert not policy.allows("refund")
    assert not policy.allows("refund", role="agent")
    assert policy.allows("refund", role="supervisor")
    assert not policy.allows("refund", role="guest")
    assert policy.allows("ask", role="guest")


def test_a_glob_does_not_match_across_a_line_it_does_not_have() -> None:
    assert not ToolPolicy(allow=["ask"]).allows("ask\n")
    assert not ToolPolicy(deny=["admin*"]).allows("admin\nx")


def test_mistakes_are_told_where_they_are_written() -> None:
    with pytest.raises(ValueError, match="lists of globs"):
        ToolPolicy(allow="lookup_*")
    with pytest.raises(ValueError, match="lists of globs"):
        ToolPolicy(deny="lookup_*")
    with pytest.raises(ValueError, match="has no roles itself"):
        ToolPolicy(roles={"a": ToolPolicy(roles={"b": ToolPolicy()})})


def test_invented_names_fill_no_memory() -> None:
    policy = ToolPolicy(deny=["bad"])
    for number in range(3 * MOST_DECISIONS):
        assert policy.allows(f"tool_{number}")
    assert len(vars(policy)["_decisions"]) <= MOST_DECISIONS
    assert not policy.allows("bad")


globs = st.lists(st.text("ab*?", max_size=4), max_size=3)


@given(globs, globs, st.lists(st.text("ab", max_size=4), max_size=5))
def test_it_decides_as_fnmatch_does_every_time(allow: list[str], deny: list[str], names: list[str]) -> None:
    policy = ToolPolicy(allow, deny)
    for name in names + names:
        whitelisted = not allow or any(fnmatchcase(name, glob) for glob in allow)
        assert policy.allows(name) == (whitelisted and not any(fnmatchcase(name, glob) for glob in deny))
