"""`@rule(number)`, on the test of a rule."""

import pytest

rule = pytest.mark.rule
"""Marks the test of a rule, by the rule's number; it runs over every door that has the rule."""
