"""The files of declared agents as items of a sight, folder by folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assembler.agents.loaded import AgentInput
from assembler.compare.sights import SeenItem
from assembler.front.agent_views import AgentView, plain_path
from assembler.model.digest import sha256_hex


def agent_texts(views: Sequence[AgentView]) -> list[bytes]:
    """Everything that the agents read, each text once."""
    texts = (
        _bytes(entry.text)
        for view in views
        for loaded in view.by_folder.values()
        for entry in loaded.entries
    )
    return list(dict.fromkeys(texts))


def agent_items(views: Sequence[AgentView], tokens: Mapping[str, int]) -> dict[str, list[SeenItem]]:
    """What each agent makes of each file, by the folder where it starts.

    Args:
        views: of the agents.
        tokens: of each text by its digest.
    """
    found: dict[str, list[SeenItem]] = {}
    for view in views:
        for folder, loaded in view.by_folder.items():
            found.setdefault(folder, []).extend(_items(view.rules.name, loaded, tokens))
    return found


def _items(agent: str, loaded: AgentInput, tokens: Mapping[str, int]) -> Iterator[SeenItem]:
    for entry in loaded.entries:
        path = plain_path(entry.path)
        digest = sha256_hex(_bytes(entry.text))
        yield SeenItem(
            id=f"{agent}:{path}",
            kind="agent",
            state="in",
            path=path,
            tokens=tokens[digest],
            size_bytes=entry.size_bytes,
            text_sha256=digest,
        )
    for file in loaded.absent:
        path = plain_path(file.path)
        yield SeenItem(f"{agent}:{path}", "agent", file.state, path, file.reason, file.note)
    for later in loaded.later:
        path = plain_path(later.path)
        note = f"joins when something in {later.trigger} is read"
        yield SeenItem(f"{agent}:{path}", "agent", "later", path, note=note)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
