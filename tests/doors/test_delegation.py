"""A reasoning backend's call: its id, and what it returns."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.calls.book import CANCELLED
from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.doors.delegation import DelegationDoor, delegated_call_id
from voice_hitl.enums import DoorName, OutcomeKind
from voice_hitl.tasks import Tasks

FITS = re.compile(r"[a-zA-Z0-9_-]{1,32}")


def call() -> ToolCall:
    return ToolCall("d1_c1", "look_up", "{}", "d1/", 0.0)


def test_an_id_names_its_delegation_and_its_call() -> None:
    assert delegated_call_id("d1", "call_7") == "d1_call_7"
    assert len(delegated_call_id("d" * 16, "c" * 15)) == 32


def test_an_id_that_would_be_too_long_or_has_other_characters_is_hashed() -> None:
    long = delegated_call_id("d" * 16, "c" * 16)
    assert FITS.fullmatch(long)
    assert long != delegated_call_id("d" * 16, "c" * 15 + "d")
    assert FITS.fullmatch(delegated_call_id("d.1", "c 1"))


def test_a_call_without_an_id_gets_none() -> None:
    assert delegated_call_id("d1", "") == ""


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80))
def test_every_id_is_one_that_providers_take(delegation_id: str, model_id: str) -> None:
    assert FITS.fullmatch(delegated_call_id(delegation_id, model_id))


@pytest.mark.anyio
async def test_what_is_delivered_is_what_the_call_returns() -> None:
    door, one = DelegationDoor(), call()
    assert door.name is DoorName.DELEGATION
    assert await door.deliver(one, "found", failed=False) == "output"
    door.reported(one)
    assert await door.returned(one) == "found"


@pytest.mark.anyio
async def test_what_was_handed_over_is_delivered_whatever_ends_the_call_then() -> None:
    door, delegated, said, tasks = DelegationDoor(), call(), list[str](), Tasks("test")

    async def deliver() -> None:
        said.append(await door.deliver(delegated, "done", failed=False))

    job = tasks.spawn(deliver(), "call")
    assert await door.returned(delegated) == "done"
    job.cancel()
    await job.wait()
    assert said == ["output"]


@pytest.mark.anyio
@pytest.mark.usefixtures("virtual_time")
async def test_a_call_that_is_over_without_delivery_returns_why() -> None:
    door, cut, refused = DelegationDoor(), call(), call()
    cut.settle(CANCELLED)
    refused.settle(Outcome(OutcomeKind.REFUSED, "it has no id", answerable=False))
    for each in (cut, refused):
        door.reported(each)
    assert await door.returned(cut) == door.given_up
    assert await door.returned(refused) == '{"error": "it has no id"}'
