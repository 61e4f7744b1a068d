"""The doors there are. A new one is one more here."""

from typing import Final

from tests.parity.conference_door import ConferenceCallDoor, ConferenceSpokenDoor
from tests.parity.delegation_door import DelegationDoor
from tests.parity.door import Door
from tests.parity.text_doors import ExternalDoor, TextDoor
from tests.parity.voice_doors import ProviderCallDoor, SpokenCallDoor

DOORS: Final[tuple[Door, ...]] = (
    ProviderCallDoor(),
    SpokenCallDoor(),
    DelegationDoor(),
    ConferenceCallDoor(),
    ConferenceSpokenDoor(),
    TextDoor(),
    ExternalDoor(),
)
