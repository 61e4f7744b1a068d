"""What comes in: bodies, queries and headers, each read once and refused with what is wrong with it."""

from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.requests import Request

from voice_hitl.console.problems import Refused, problem

LONGEST_BODY: Final = 256 * 1024
"""Bytes of a request's body."""

M = TypeVar("M", bound=BaseModel)
Wire = dict[str, object]
Key = Annotated[str, Field(pattern=r"^[\x21-\x7e]+$", min_length=1, max_length=128)]

_KEY: Final[TypeAdapter[str]] = TypeAdapter(Key)
_OBJECT: Final[TypeAdapter[Wire]] = TypeAdapter(Wire)


async def read_body(request: Request, model: type[M]) -> M:
    """Read a body as a model.

    Raises:
        Refused: It is none (422), or too long (413).
    """
    body = await _read(request)
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise _malformed(error) from None


async def read_object(request: Request) -> Wire:
    """Read a body as an object.

    Raises:
        Refused: It is none (422), or too long (413).
    """
    body = await _read(request)
    try:
        return _OBJECT.validate_python(body, strict=True)
    except ValidationError as error:
        raise _malformed(error) from None


def read_query(request: Request, model: type[M]) -> M:
    """Read the query as a model.

    Raises:
        Refused: It is none.
    """
    try:
        return model.model_validate(dict(request.query_params))
    except ValidationError as error:
        raise _malformed(error) from None


def read_key(request: Request) -> str | None:
    """Read the `Idempotency-Key`.

    Raises:
        Refused: It is none.
    """
    key = request.headers.get("idempotency-key")
    try:
        return _KEY.validate_python(key) if key is not None else None
    except ValidationError:
        raise Refused(problem(422, "malformed", "an Idempotency-Key is 1 to 128 visible ASCII characters")) from None


async def _read(request: Request) -> object:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise Refused(problem(413, "too_large", f"a body has at most {LONGEST_BODY} bytes"))
    try:
        # Stricter than json.loads: no NaN, no lone surrogates, no depth that exhausts the stack.
        return from_json(body, allow_inf_nan=False)
    except ValueError:
        raise Refused(problem(422, "malformed", "the body is not JSON")) from None


def _malformed(error: ValidationError) -> Refused:
    """Where it is wrong, and never what was sent: it may be confidential."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"] if first["type"] != "extra_forbidden")
    return Refused(problem(422, "malformed", f"{where}: {first['msg']}" if where else first["msg"]))
