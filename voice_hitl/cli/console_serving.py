"""What `voice-hitl console` runs, for as long as it is wanted."""

import anyio
from rich.console import Console as Terminal
from rich.markup import escape

from voice_hitl import plugins
from voice_hitl.cli.console_options import ConsoleOptions
from voice_hitl.cli.end_signals import end_signals
from voice_hitl.console.app import Console
from voice_hitl.console.authentication import Authenticator
from voice_hitl.console.oidc import OIDCTokens
from voice_hitl.console.signed_tokens import SignedTokens
from voice_hitl.demo.server import listen, web_serving
from voice_hitl.errors import StoreUnavailable
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.store import Store
from voice_hitl.stores.sqlite import SQLiteStore


async def run_console(options: ConsoleOptions, out: Terminal) -> None:
    """Serve the console over a store until the program is asked to end.

    Raises:
        PluginMissing: The store's extra is not installed.
        StoreUnavailable: There is no store at that address.
        PortBusy: Another program has the port.
        WebServerEnded: It ended before it was to.
    """
    store = open_store(options.store)
    try:
        await _look(store, options.store, out)
        await _serve(options, store, out)
    finally:
        with anyio.CancelScope(shield=True):
            await store.aclose()


async def _serve(options: ConsoleOptions, store: Store, out: Terminal) -> None:
    handler = HumanInputHandler(store=store)
    authenticators: list[Authenticator] = []
    if options.secret is not None:
        authenticators.append(SignedTokens(options.secret))
    if options.oidc is not None:
        issuer, audience, roles = options.oidc
        authenticators.append(OIDCTokens(issuer, audience, roles_claim=roles))
    console = Console(*authenticators, anonymous=options.anonymous or None, handler=handler, store=store)
    with listen(options.host, options.port) as listener:
        try:
            async with web_serving(console.app, listener) as url:
                how = f"as one of the {', '.join(options.anonymous)}" if options.anonymous else "and sign in"
                out.print(f"[bold]Open {url}[/] {escape(how)}. Ctrl-C ends it.", highlight=False)
                try:
                    with end_signals() as asked_to_end:
                        await asked_to_end()
                finally:
                    with anyio.CancelScope(shield=True):
                        await console.close()
        finally:
            with anyio.CancelScope(shield=True):
                await handler.close()


async def _look(store: Store, at: str, out: Terminal) -> None:
    """See that the store is there: else every page of every operator would only try again and again."""
    is_new = isinstance(store, SQLiteStore) and not await anyio.Path(at).exists()
    try:
        await store.unsettled()
    except StoreUnavailable as error:
        raise StoreUnavailable(f"{error}. Where the agents keep their requests is said with --store") from error
    if is_new:
        out.print(f"{escape(at)} is new: no agent has kept a request there yet.", style="yellow", highlight=False)


def open_store(at: str) -> Store:
    """The store at an address: `redis://...`, or a SQLite file.

    Raises:
        PluginMissing: Its extra is not installed.
    """
    if not at.startswith(("redis://", "rediss://")):
        return SQLiteStore(at)
    with plugins.needing("redis"):
        from voice_hitl.stores.redis import RedisStore  # noqa: PLC0415 - needs an extra
    return RedisStore(at)
