"""Every leg of ours keeps the leg contract, each over its real wire."""

import pytest

from tests.transports import sip_far_end, twilio_far_end, webrtc_far_end
from voice_hitl.testing import leg_contract

pytestmark = pytest.mark.anyio

LEGS: dict[str, leg_contract.Place] = {
    "webrtc": webrtc_far_end.a_call,
    "twilio": twilio_far_end.a_call,
    "sip": sip_far_end.a_call,
}


@pytest.mark.parametrize("rule", leg_contract.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("leg", LEGS)
async def test_a_leg_keeps_the_contract(leg: str, rule: leg_contract.Rule) -> None:
    await leg_contract.check(rule, LEGS[leg])
