"""What the service will not do."""


class Refused(Exception):  # noqa: N818 - it becomes an `error` event, never an exception of anybody's
    """The service refuses what the client sent, and the session goes on.

    Args:
        code: The error's code.
        message: The error's text.
        param: The field it is about.
    """

    def __init__(self, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param


def unknown_parameter(param: str) -> Refused:
    """A field that the reference does not have."""
    return Refused("unknown_parameter", f"Unknown parameter: '{param}'.", param)


def missing(param: str) -> Refused:
    """A field that must be there."""
    return Refused("missing_required_parameter", f"Missing required parameter: '{param}'.", param)


def invalid(param: str, why: str) -> Refused:
    """A field whose value cannot be."""
    return Refused("invalid_value", f"Invalid value for '{param}': {why}.", param)
