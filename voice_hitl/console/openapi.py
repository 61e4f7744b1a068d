"""`document`: the OpenAPI 3.1 document of the console's API, made from the models that it sends and takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from voice_hitl.console.reading import Key
from voice_hitl.console.shown import (
    Accepted,
    Event,
    Filters,
    History,
    HistoryFilters,
    Me,
    Problem,
    Reject,
    RequestId,
    Requests,
    RequestShown,
    SignIn,
    Taken,
)
from voice_hitl.questions.schema import answer_schema, question_schema

Json = dict[str, object]

_REFUSED: Final[Mapping[int, str]] = {
    401: "There is no valid token: it is wrong, has expired, or was exchanged for a session.",
    403: "You are not in the audience, or another site's page sent this.",
    404: "There is no such request, or no longer.",
    409: "It came too late, or second: `outcome` says how the request had ended.",
    413: "The body is too long.",
    422: "It is not an answer to the question, or no message at all: `why` says what is wrong. The request stays open.",
    429: "Too often: `Retry-After` says when again.",
    503: "The request is kept in a store that cannot be used now.",
}


@dataclass(frozen=True, slots=True)
class _Operation:
    """One method of one path."""

    path: str
    method: str
    id: str
    summary: str
    refused: Sequence[int]
    gives: type[BaseModel] | None = None
    takes: str = ""
    query: type[BaseModel] | None = None
    keyed: bool = False
    is_open: bool = False


_ONE: Final = "/requests/{id}"
_OPERATIONS: Final = (
    _Operation("/me", "get", "me", "Who you are, and how many watch", (), Me),
    _Operation(
        "/session", "post", "sign_in", "Exchange a token for a cookie", (413, 422), None, "SignIn", is_open=True
    ),
    _Operation("/session", "delete", "sign_out", "End the session of the cookie", (), is_open=True),
    _Operation("/requests", "get", "requests", "What is open for you", (422,), Requests, query=Filters),
    _Operation(_ONE, "get", "request", "One request, open or settled", (403, 404), RequestShown),
    _Operation(
        f"{_ONE}/answer", "post", "answer", "Answer it", (403, 404, 409, 413, 422), Accepted, "Answer", keyed=True
    ),
    _Operation(
        f"{_ONE}/reject", "post", "reject", "Refuse it", (403, 404, 409, 413, 422), Accepted, "Reject", keyed=True
    ),
    _Operation(f"{_ONE}/take", "post", "take", "Say that you are handling it", (403, 404, 409), Taken),
    _Operation(f"{_ONE}/release", "post", "release", "Say that you are not any more", (403, 404, 409)),
    _Operation("/events", "get", "events", "What happens, as server-sent events", ()),
    _Operation(
        "/history", "get", "history", "What has settled, the newest first", (422,), History, query=HistoryFilters
    ),
)
_SENT: Final = (Me, Requests, RequestShown, Accepted, Taken, History, Problem, Event)
_TAKEN: Final = (SignIn, Reject)
_EVENTS: Final = (
    "`request.opened`, `request.changed` and `request.settled` have an `Event` each as data; `presence` has how many "
    "consoles are open in each of your roles. `sync` says that something was missed: read `GET /requests` again."
)


def document(server: str) -> Json:
    """Return the document of the API at `server`, a path."""
    paths: dict[str, Json] = {}
    for operation in _OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "voice_hitl console", "version": version("voice-hitl")},
        "servers": [{"url": server}],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "voice_hitl_console"},
            },
        },
    }


def _operation(operation: _Operation) -> Json:
    refusals = (*operation.refused, *((401, 403, 429, 503) if not operation.is_open else (401, 403, 429)))
    responses: Json = {str(status): _refused(status) for status in sorted(set(refusals))}
    told: Json = {
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": _done(operation) | responses,
        "security": [{}] if operation.is_open else [{"token": []}, {"session": []}],
    }
    if operation.takes:
        told["requestBody"] = {"required": True, "content": _json(operation.takes)}
    return told


def _done(operation: _Operation) -> Json:
    if operation.id == "events":
        content: Json = {"text/event-stream": {"schema": {"type": "string"}}}
        return {"200": {"description": _EVENTS, "content": content}}
    if operation.gives is None:
        return {"204": {"description": "Done."}}
    return {"200": {"description": operation.gives.__doc__ or "", "content": _json(operation.gives.__name__)}}


def _refused(status: int) -> Json:
    return {"description": _REFUSED[status], "content": _json("Problem")}


def _parameters(operation: _Operation) -> list[Json]:
    found: list[Json] = []
    if "{id}" in operation.path:
        found.append({"name": "id", "in": "path", "required": True, "schema": TypeAdapter(RequestId).json_schema()})
    if operation.query is not None:
        members = cast("Json", operation.query.model_json_schema()["properties"])
        found.extend({"name": name, "in": "query", "schema": schema} for name, schema in members.items())
    if operation.keyed:
        found.append({"name": "Idempotency-Key", "in": "header", "schema": TypeAdapter(Key).json_schema()})
    if operation.id == "events":
        found.append({"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}})
    return found


def _schemas() -> Json:
    sent: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "serialization") for model in _SENT]
    taken: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in _TAKEN]
    made = models_json_schema([*sent, *taken], ref_template="#/components/schemas/{model}")[1]
    schemas = cast("Json", made["$defs"])
    return schemas | _published("Answer", answer_schema()) | _published("Question", question_schema())


def _published(name: str, schema: Json) -> Json:
    """A published schema as components: its cases, and the one that is any of them."""
    cases = {f"{name}_{case}": inner for case, inner in cast("Json", schema["$defs"]).items()}
    any_of = [{"$ref": f"#/components/schemas/{case}"} for case in cases]
    return cases | {name: {"title": name, "oneOf": any_of}}


def _json(name: str) -> Json:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
