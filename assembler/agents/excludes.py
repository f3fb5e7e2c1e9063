"""Which files the patterns of an agent's settings keep out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assembler.agents.disk import Disk
from assembler.agents.globs import compile_glob, fixed_folder
from assembler.agents.places import resolve
from assembler.agents.rules import AgentRules
from assembler.agents.settings import Settings


def find_excludes(rules: AgentRules, settings: Settings, disk: Disk) -> Callable[[str], bool]:
    """Whether a path is kept out.

    A list with something else than texts in it counts for nothing.

    Args:
        rules: of the agent.
        settings: of all layers.
        disk: asked where the folders of patterns really are.
    """
    key = rules.excludes_key
    found = [] if key is None else [value for _, value in settings.find_all(key)]
    lists = [value for value in found if isinstance(value, list)]
    named = [one for value in lists if all(isinstance(p, str) for p in value) for one in value]
    patterns = dict.fromkeys(way for pattern in named for way in _ways(pattern, disk))
    compiled = [compile_glob(pattern) for pattern in patterns]
    return lambda path: any(means(path) for means in compiled)


def _ways(pattern: str, disk: Disk) -> Iterator[str]:
    """A pattern, and the same where its folder really is."""
    folder = fixed_folder(pattern)
    if not folder.startswith("/") or folder.startswith("//"):
        yield pattern
        return
    rest = pattern[len(folder) :]
    plain = resolve(folder, "/")
    yield f"{plain}{rest}"
    real = disk.look_up([plain])[plain].real_path
    if real is not None and real != plain:
        yield f"{real}{rest}"
