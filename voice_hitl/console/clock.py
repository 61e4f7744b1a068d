"""The time that people read."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Now, UTC."""
    return datetime.now(UTC)
