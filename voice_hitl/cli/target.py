"""`FILE:NAME`: something in a Python file of the user's, named on the command line."""

import importlib.util
import sys
import traceback
from pathlib import Path

from voice_hitl.errors import VoiceHitlError


class NoSuchTarget(VoiceHitlError):  # noqa: N818 - named by its cause
    """There is nothing of that name, or its file does not run; the text says which and why."""


def load_target(target: str) -> object:
    """Run the file of `FILE:NAME`, which may import what lies beside it, and return what it calls NAME.

    Raises:
        NoSuchTarget: There is no such file, it fails, or it has no such name.
    """
    file, _, name = target.rpartition(":")
    if not file or not name:
        raise NoSuchTarget(f"{target!r} is not FILE:NAME: write a file and a name in it, such as phone.py:channel")
    path = Path(file).resolve()
    if not path.is_file():
        raise NoSuchTarget(f"there is no file {file!r} in {Path.cwd()}")
    spec = importlib.util.spec_from_file_location(f"__target_{path.stem}__", path)
    if spec is None or spec.loader is None:
        raise NoSuchTarget(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a file of the user's may fail in any way
        raise NoSuchTarget(f"{file}{_where(error, path)} failed: {type(error).__name__}: {error}") from error
    if not hasattr(module, name):
        raise NoSuchTarget(f"{file} has no {name!r}")
    return getattr(module, name)


def _where(error: Exception, path: Path) -> str:
    """The line of the user's own file that it comes from: of a `SyntaxError` it is not in the traceback."""
    if isinstance(error, SyntaxError):
        return ""  # its own text names the file and the line
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}," if lines else ""
