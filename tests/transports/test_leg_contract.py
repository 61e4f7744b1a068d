"""Every leg of ours keeps the leg contract, each over its real wire."""

import time

import anyio
import pytest

from tests.transports import sip_far_end, twilio_far_end, webrtc_far_end
from voice_hitl.testing import leg_contract

pytestmark = pytest.mark.anyio

LEGS: dict[str, leg_contract.Place] = {
    "webrtc": webrtc_far_end.a_call,
    "webrtc, placed": webrtc_far_end.a_placed_call,
    "twilio": twilio_far_end.a_call,
    "sip": sip_far_end.a_call,
}


@pytest.mark.parametrize("rule", leg_contract.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("leg", LEGS)
async def test_a_leg_keeps_the_contract(leg: str, rule: leg_contract.Rule) -> None:
    await leg_contract.check(rule, LEGS[leg])


@pytest.mark.parametrize("leg", LEGS)
async def test_a_leg_that_was_closed_in_the_middle_of_a_frame_costs_nothing(leg: str) -> None:
    """reports.md 39: no task left (which every rule looks for), and no processor time either."""
    await leg_contract.check(leg_contract.a_leg_closed_in_the_middle_of_a_frame_is_over, LEGS[leg])
    used, began = time.process_time(), time.monotonic()
    await anyio.sleep(0.5)
    assert time.process_time() - used < 0.3 * (time.monotonic() - began)
