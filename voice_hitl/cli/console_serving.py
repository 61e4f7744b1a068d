"""What `voice-hitl console` runs, for as long as it is wanted."""

import anyio
from rich.console import Console as Terminal

from voice_hitl import plugins
from voice_hitl.cli.console_options import ConsoleOptions
from voice_hitl.cli.end_signals import end_signals
from voice_hitl.console.app import Console
from voice_hitl.console.authentication import Authenticator
from voice_hitl.console.oidc import OIDCTokens
from voice_hitl.console.signed_tokens import SignedTokens
from voice_hitl.demo.server import address, listen, web_server
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.store import Store
from voice_hitl.stores.sqlite import SQLiteStore
from voice_hitl.tasks import Tasks


async def run_console(options: ConsoleOptions, out: Terminal) -> None:
    """Serve the console over a store until the program is asked to end.

    Raises:
        PluginMissing: The store's extra is not installed.
        PortBusy: Another program has the port.
    """
    store = open_store(options.store)
    handler = HumanInputHandler(store=store)
    authenticators: list[Authenticator] = []
    if options.secret is not None:
        authenticators.append(SignedTokens(options.secret))
    if options.oidc is not None:
        issuer, audience, roles = options.oidc
        authenticators.append(OIDCTokens(issuer, audience, roles_claim=roles))
    console = Console(*authenticators, anonymous=options.anonymous or None, handler=handler, store=store)
    tasks = Tasks("console server")
    with listen(options.host, options.port) as listener:
        server = web_server(console.app)
        job = tasks.spawn(server.serve(sockets=[listener]), "web server")
        out.print(f"[bold]Open {address(listener)}[/] and sign in. Ctrl-C ends it.", highlight=False)
        try:
            with end_signals() as asked_to_end:
                await asked_to_end()
        finally:
            with anyio.CancelScope(shield=True):
                await console.close()
                server.should_exit = True
                await job.wait()
                await handler.close()
                await store.aclose()


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
