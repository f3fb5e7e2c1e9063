"""What a case is, the ground that it is built on, and which codes an answer tells."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from assembler.model.catalogue import find_code
from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder
from tests.builders.trees import Link, write_tree


class HardLink(str):
    """A second name of a file that the tree has, by its path."""

    __slots__ = ()


class Ground:
    """A repository and a home, both empty, and the command line that is started there."""

    def __init__(self, place: Path) -> None:
        self.root = place / "shop"
        self.repository = RepositoryBuilder(self.root)
        self.command = CommandLine(cwd=self.root, home=place / "home")
        self.home = self.command.home
        self.home.mkdir()

    def build(self, files: Files) -> None:
        """Make a tree: paths from the root, those with `~/` in front from the home."""
        for path, spec in files.items():
            below_home = path.startswith("~/")
            root = self.home if below_home else self.root
            place = root / path.removeprefix("~/")
            if isinstance(spec, HardLink):
                place.parent.mkdir(parents=True, exist_ok=True)
                os.link(self.root / str(spec), place)
            elif isinstance(spec, str) and not isinstance(spec, Link):
                write_tree(root, {path.removeprefix("~/"): self.spell(spec)})
            else:
                write_tree(root, {path.removeprefix("~/"): spec})

    def spell(self, text: str) -> str:
        """The text with the real places in it."""
        return text.replace("{ROOT}", str(self.root)).replace("{HOME}", str(self.home))

    def ask(self, words: Words, stdin: str = "") -> Result:
        """Run a command, its answer as JSON."""
        if words[0] == "assemble":
            self.repository.commit()  # a run names the revision that it was made at
        spelled = [self.spell(word) for word in words]
        return self.command(*spelled, "-f", "json", stdin=stdin)


Files: TypeAlias = Mapping[str, Any]
Words: TypeAlias = tuple[str, ...]
Ask: TypeAlias = Callable[[Ground], Result]


class Case(NamedTuple):
    """One finding code: where it fires, and where it nearly does."""

    fires: Files | Ask
    """A tree; or what makes it and asks."""
    innocent: Files | Ask
    ask: Words = ("check",)
    """The command that tells the code."""
    ask_innocent: Words | None = None
    """Where the innocent neighbour is another question about the same tree."""
    base: Files = MappingProxyType({})
    """What both trees have."""
    stdin: str = ""
    run: Words | None = ()
    """Options of a run on the firing tree that meets what is wrong; None: no run is made of it."""

    def answer(self, ground: Ground, *, fires: bool) -> Result:
        """Build one side of the case and ask."""
        side = self.fires if fires else self.innocent
        if callable(side):
            return side(ground)
        ground.build({**self.base, **side})
        words = self.ask if fires or self.ask_innocent is None else self.ask_innocent
        return ground.ask(words, self.stdin)


def told(result: Result) -> set[str]:
    """The codes that an answer tells: of its findings, rows, claims that fire, or refusal."""
    return {code for name in _names(result.json) if (code := find_code(name)) is not None}


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif isinstance(value, dict) and value.get("result") not in ("holds", "not-checked"):
        for key, item in value.items():
            if key in ("code", "slug") and isinstance(item, str):
                yield item
            else:
                yield from _names(item)
