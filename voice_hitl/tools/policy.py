"""`ToolPolicy`: which tools may be called at all, by name, and by the role of who is in the call."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from typing import Final

MOST_DECISIONS: Final = 1024
"""How many decisions are kept: the names come from a model, which may invent any number of them."""


class ToolPolicy:
    """Which tools may be called. A name that a `deny` glob matches may not; with an `allow` list, only what it matches.

    Globs are `fnmatch`'s (`*`, `?`, `[abc]`), and case counts.

    Args:
        allow: Globs of what may be called. Empty: everything that is not denied.
        deny: Globs of what may not. It wins over `allow`.
        roles: The policy of a role, in place of this one for who has that role. It has no roles itself.

    Raises:
        ValueError: A text in place of a list of globs, or roles within a role.
    """

    def __init__(
        self,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        roles: "Mapping[str, ToolPolicy] | None" = None,
    ) -> None:
        if isinstance(allow, str) or isinstance(deny, str):
            raise ValueError("allow and deny are lists of globs, such as allow=('lookup_*',)")
        self.allow = tuple(allow)
        self.deny = tuple(deny)
        self.roles = dict(roles or {})
        if any(policy.roles for policy in self.roles.values()):
            raise ValueError("the policy of a role has no roles itself")
        self._allowed = _any_of(self.allow or ("*",))
        self._denied = _any_of(self.deny)
        self._decisions: dict[str, bool] = {}

    def allows(self, name: str, *, role: str | None = None) -> bool:
        """Whether `name` may be called by who has `role` (None, or a role without a policy of its own: this one)."""
        if role is not None and role in self.roles:
            return self.roles[role].allows(name)
        decision = self._decisions.get(name)
        if decision is None:
            if len(self._decisions) >= MOST_DECISIONS:
                self._decisions.clear()
            decision = self._allowed.match(name) is not None and self._denied.match(name) is None
            self._decisions[name] = decision
        return decision


def _any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    # Without a glob nothing matches, not even the empty name.
    return re.compile("|".join(translate(glob) for glob in globs) or "(?!)")
