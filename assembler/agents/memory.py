"""What an agent wrote down for itself about a project, outside the repository. Pure."""

from __future__ import annotations

import re

from assembler.agents.collecting import Collector
from assembler.agents.disk import Start
from assembler.agents.places import join
from assembler.agents.rules import Memory


def take_memory(step: Memory, start: Start, collector: Collector, named: str | None = None) -> None:
    """Load the index, as far as the agent reads it.

    Args:
        step: of the description.
        start: of the agent.
        collector: takes the entry.
        named: the folder of the index by the settings.
    """
    project = start.main_checkout or start.repository or start.cwd
    if step.project == "cwd":
        project = start.cwd
    short = re.sub(r"[^a-z0-9]+", "-", project.rpartition("/")[2].lower()).strip("-") or "project"
    slug = re.sub(r"[^A-Za-z0-9]", "-", project)
    path = step.path.replace("{slug}", slug).replace("{project}", short)
    folder = start.environment.get(step.variable) if step.variable else None
    if named is not None and (named.startswith("/") or (named.startswith("~/") and start.home)):
        base = join(start.home or "/", named[2:]) if named.startswith("~/") else named
        path = join(base, path.rpartition("/")[2])
    elif folder:
        path = join(folder, path.partition("/")[2])
    elif start.home is not None:
        path = join(start.home, path)
    else:
        return
    before = len(collector.entries)
    collector.take(path, step.kind, is_whole=True)
    if len(collector.entries) == before:
        return
    entry = collector.entries[-1]
    if step.joins_lines:
        entry = entry._replace(text=re.sub(r"\r\n?", "\n", entry.text))
        collector.entries[-1] = entry
    if step.most_lines is not None:
        text = _beginning(entry.text, step.most_lines, step.most_bytes)
        if text != entry.text:
            collector.entries[-1] = entry._replace(text=text)
            note = f"{len(entry.text) - len(text):,} characters are behind the limit"
            collector.cut.append((entry.path, note))


def _beginning(text: str, most_lines: int, most_bytes: int | None) -> str:
    """The first lines, and of these what fits."""
    kept = "\n".join(text.split("\n")[:most_lines])
    data = kept.encode("utf-8", "surrogatepass")
    if most_bytes is None or len(data) <= most_bytes:
        return kept
    fitting = data[:most_bytes].decode("utf-8", "ignore")
    return fitting.rpartition("\n")[0] or fitting
