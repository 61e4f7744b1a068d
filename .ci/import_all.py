"""Imports every module that the distribution has, loads every plugin it names, and says how many there were."""

import importlib
import importlib.metadata
import pkgutil

PACKAGES = ("voice_hitl", "voice_hitl_webrtc", "voice_hitl_local", "voice_hitl_openai")
PLUGINS = ("voice_hitl.transports", "voice_hitl.providers", "voice_hitl.callers")


def main() -> None:
    """Import all, or raise what failed."""
    names = list(PACKAGES)
    for package in PACKAGES:
        names += [
            module.name for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
        ]
    for name in names:
        importlib.import_module(name)
    plugins = [plugin for group in PLUGINS for plugin in importlib.metadata.entry_points(group=group)]
    for plugin in plugins:
        plugin.load()
    print(f"    imported {len(names)} modules, loaded {len(plugins)} plugins")  # noqa: T201 - CI reads what was imported in its log


if __name__ == "__main__":
    main()
