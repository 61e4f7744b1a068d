"""`frozen`: a frozen dataclass for what is made anew with every call and every frame.

The type checkers keep it frozen. The run time's own guard (`dataclass(frozen=True)`) writes each field through
`object.__setattr__` and makes an object four times as dear: a tenth of a whole tool call, measured. It stays where the
library hands something to its users' code (what hooks see, answers, a tool call's context): not all of that is checked.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
    """Make a dataclass with slots that is compared and hashed by its fields, and that nobody is to change."""
    return dataclass(slots=True, unsafe_hash=True, kw_only=kw_only)
