import pytest

from tests.providers.talk import Talk


@pytest.fixture
def talk() -> Talk:
    return Talk()
