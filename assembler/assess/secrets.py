"""Keep out what has the form of a secret: before it is stored, counted or rendered.

In: candidates with their contents. Out: the same candidates, those with a hit turned away with
rule and line. Never here: the text of a hit, in any word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, Final

from assembler.assess.file_lines import file_line
from assembler.model.candidate import Absent, Candidate, Content, Inline
from assembler.model.digest import sha256_hex
from assembler.model.inventory import Inventory
from assembler.model.limits import bounded_place
from assembler.model.secret_rules import SecretHit
from assembler.model.withheld import WITHHELD

SecretScan = Callable[[bytes], tuple[SecretHit, ...]]
"""Every place of a text that has the form of a secret, by line."""
CODE: Final = "secret-in-text"
_WORDS: Final = (
    "source", "scope", "version", "revision", "discovered_by", "refresh", "decides", "group",
)  # fmt: skip
"""Members of a candidate that hold words, of whatever source."""


def withhold_secrets(
    items: Iterable[Candidate], paths: Mapping[str, str], scan: SecretScan
) -> tuple[list[Candidate], dict[str, str]]:
    """Candidates without secrets, and the new ids of those whose id was one.

    Args:
        items: every candidate of a run.
        paths: file of each by id, for the place of a hit.
        scan: looks into one text.
    """
    swept = []
    renamed: dict[str, str] = {}
    withheld: set[str] = set()
    every = list(items)
    # Almost always nothing is found in all of them together, which is told at one look.
    is_suspect = bool(scan(b"\n".join(map(_told, every))))
    for item in every:
        clean = item
        if is_suspect and scan(_told(item)):
            clean = _tell_nothing(item, scan)
            if clean.id != item.id:
                renamed[item.id] = clean.id
        data = item.content.data if isinstance(item.content, Inline) else b""
        hits = scan(data)
        if hits:
            path = paths.get(item.id)
            line = file_line(item, hits[0].line, path=path)
            place = clean.id if item.id in renamed else path or item.id
            turned_away = _turned_away(f"{place}:{line}", hits)
            # Of a short text with a secret a digest tells enough to guess it.
            clean = clean._replace(content=turned_away, freshness=())
            withheld.add(sha256_hex(data))
        elif item.id in renamed and isinstance(item.content, Inline):
            named = scan(item.id.encode("utf-8"))
            clean = clean._replace(content=_turned_away(clean.id, named))
        swept.append(clean)
    if withheld:
        swept = [_forget_digests(item, withheld) for item in swept]
    return swept, renamed


def _forget_digests(item: Candidate, withheld: Set[str]) -> Candidate:
    """The candidate without digests that this run computed of contents that were withheld.

    A source that still is as it was is told by a digest that somebody else wrote down.
    """
    kept = tuple(
        entry._replace(current=None)
        if entry.current != entry.seen and entry.current in withheld
        else entry
        for entry in item.freshness
    )
    return item if kept == item.freshness else item._replace(freshness=kept)


def has_secret(item: Candidate, scan: SecretScan) -> bool:
    """Whether the content of a candidate or its id, which names its file, has one."""
    texts = [item.id.encode("utf-8")]
    if isinstance(item.content, Inline):
        texts.append(item.content.data)
    return any(scan(text) for text in texts)


def find_in_terms(inventory: Inventory, scan: SecretScan) -> str | None:
    """Which word of the terms of a run has the form of a secret; None: none.

    They stand in the record whatever becomes of the run.
    """
    task = inventory.task
    words = {
        "the task's id": (task.id,),
        "the actor": (task.actor,),
        "the profile's name": (task.prompt.name,),
        "a topic": task.topics or (),
        "a required id": inventory.required,
        "a sealed id": tuple(name for _, names in inventory.seal.lists() for name in names),
        "the model's name": (inventory.adapter.model or "",),
    }
    if not scan("\n".join(word for told in words.values() for word in told).encode("utf-8")):
        return None
    return next(
        what for what, told in words.items() if any(scan(word.encode("utf-8")) for word in told)
    )


def _told(item: Candidate) -> bytes:
    """Everything that a row says of an item beside its content."""
    where = item.content.where if isinstance(item.content, Absent) else None
    words = (item.id, *(getattr(item, name) for name in _WORDS), where)
    more = [*item.topics, *item.lineage, *(entry.source for entry in item.freshness)]
    more += [*item.replaces, *item.conflicts_with, item.refreshed_by or ""]
    if item.address is not None:
        more += [item.address.source_id, item.address.version]
    return "\n".join(word for word in (*words, *more) if word).encode("utf-8")


def _tell_nothing(item: Candidate, scan: SecretScan) -> Candidate:
    """The candidate with no secret in what is told of it: a file can be called like a token."""

    def spell(word: str | None) -> str | None:
        return WITHHELD if word and scan(word.encode("utf-8")) else word

    content: Content = item.content
    if isinstance(content, Absent):
        content = content._replace(where=spell(content.where))
    address = item.address
    if address is not None:
        address = address._replace(
            source_id=spell(address.source_id) or "", version=spell(address.version) or ""
        )
    words: dict[str, Any] = {name: spell(getattr(item, name)) for name in _WORDS}
    return item._replace(
        **words,
        id=_spell_id(item.id, scan),
        content=content,
        address=address,
        replaces=_spell_ids(item.replaces, scan),
        conflicts_with=_spell_ids(item.conflicts_with, scan),
        refreshed_by=None if item.refreshed_by is None else _spell_id(item.refreshed_by, scan),
        topics=tuple(sorted({spell(topic) or topic for topic in item.topics})),
        lineage=tuple(sorted({spell(name) or name for name in item.lineage})),
        freshness=tuple(
            entry._replace(source=spell(entry.source) or entry.source) for entry in item.freshness
        ),
    )


def _spell_id(name: str, scan: SecretScan) -> str:
    """The id, or where it has the form of a secret `KIND:sha256:` and its digest.

    What names an item of that id comes to the same, whether the item is offered or not.
    """
    if not scan(name.encode("utf-8")):
        return name
    kind, colon, _ = name.partition(":")
    # An id of another program may be a secret from its first character.
    if not colon or scan(kind.encode("utf-8")):
        kind = "withheld"
    return f"{kind}:sha256:{sha256_hex(name.encode('utf-8'))}"


def _spell_ids(names: Iterable[str], scan: SecretScan) -> tuple[str, ...]:
    return tuple(sorted({_spell_id(name, scan) for name in names}))


def _turned_away(place: str, hits: tuple[SecretHit, ...]) -> Absent:
    more = f" and {len(hits) - 1:,} more" if len(hits) > 1 else ""
    where = bounded_place(f"{place}: {hits[0].rule}{more}")
    return Absent("turned-away", code=CODE, where=where)
