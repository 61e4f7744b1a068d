"""What the package publishes."""

import importlib

import pytest

import voice_hitl.questions


@pytest.mark.parametrize("name", ["parse_form", "check", "respond", "parse_ask_human", "to_wire"])
def test_the_published_functions_are_found_in_the_package(name: str) -> None:
    # `check` is a module of the package too: whichever is imported first, the package's name is the function.
    importlib.import_module("voice_hitl.questions.check")
    assert callable(getattr(voice_hitl.questions, name))
    assert name in voice_hitl.questions.__all__
