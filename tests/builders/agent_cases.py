"""Recorded trees of Claude Code, Gemini CLI and opencode, on disk, and what they sent."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assembler.agents.loaded import AgentInput, LoadedEntry
from tests.builders.codex_cases import build_git, write_files

SETTINGS = {
    "claude": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
}
DEFAULTS = {"gemini": {"GEMINI_CLI_TRUST_WORKSPACE": "true"}}
"""What the recorder had set."""
CUT = "…[cut by the recorder]…"
JOIN, LINE = "\n\n", "\n"
SYSTEM = {"claude": "claude-code", "gemini": "gemini-cli", "opencode": "opencode"}


class Built(NamedTuple):
    """A case on disk."""

    case: dict[str, Any]
    root: Path
    home: Path

    @property
    def agent(self) -> str:
        return str(self.case["agent"])

    def replace(self, text: str) -> str:
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(self.root))
        text = text.replace("{ROOT}", str(self.root)).replace("{HOME}", str(self.home))
        return text.replace("{SLUG}", slug)

    def place(self, path: str) -> str:
        """A recorded path on this disk."""
        usual = f"/etc/{SYSTEM[self.agent]}/"
        if path.startswith(usual):
            return str(self.system_folder / path.removeprefix(usual))
        return self.replace(path)

    @property
    def cwd(self) -> Path:
        return Path(os.path.realpath(self.root / self.case["cwd"]))

    @property
    def environment(self) -> dict[str, str]:
        named = {**DEFAULTS.get(self.agent, {}), **(self.case.get("env") or {})}
        return {
            "HOME": str(self.home),
            **{name: self.replace(value) for name, value in named.items() if value is not None},
        }

    @property
    def options(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        name = ""
        for word in map(self.replace, self.case.get("args", ())):
            if word.startswith("--"):
                name = word[2:]
                found.setdefault(name, [])
            else:
                found[name].append(word)
        return {name: tuple(values) for name, values in found.items()}

    @property
    def system_folder(self) -> Path:
        return self.root.parent / "etc" / SYSTEM[self.agent]

    @property
    def is_set(self) -> bool:
        """Whether the order depends on the file system."""
        return any("compare" in note for note in self.case["expected"]["notes"])

    def check(self, got: AgentInput) -> list[str]:
        """What differs from the recording, in words; nothing where all is equal."""
        expected = self.case["expected"]
        if got.exit_code != expected["rc"]:
            return [f"exit code {got.exit_code}, recorded {expected['rc']}"]
        found: list[str] = []
        wanted = [self.place(path) for path in expected["sources"] or ()]
        sources = [path for entry in got.entries for path in (entry.target, *entry.imports)]
        real = [os.path.realpath(path) for path in wanted if path.startswith("/")]
        ours = [path for path in sources if path in real]
        if (sorted(set(ours)) if self.is_set else unique(ours)) != (
            sorted(set(real)) if self.is_set else unique(real)
        ):
            found.append(f"sources {sources}, recorded {wanted}")
        absent = {os.path.realpath(self.replace(path)) for path in expected["absent"] or ()}
        if absent & set(sources):
            found.append(f"in, and recorded as absent: {sorted(absent & set(sources))}")
        return found + self.check_blocks(got)

    def check_blocks(self, got: AgentInput) -> list[str]:
        blocks = self.case["expected"]["blocks"]
        texts = write_blocks(self.agent, got)
        if len(texts) != len(blocks):
            return [f"{len(texts)} blocks, recorded {len(blocks)}"]
        found = []
        for text, block in zip(texts, blocks, strict=True):
            wanted = self.replace(block["text"])
            if CUT in wanted:
                start, _, end = wanted.partition(CUT)
                if not (text.startswith(start) and text.rstrip("\n").endswith(end.rstrip("\n"))):
                    found.append(f"cut text of {len(text)} characters differs")
            elif self.is_set:
                if sorted(text.split("\n")) != sorted(wanted.split("\n")):
                    found.append(f"text {text!r}, recorded {wanted!r}")
            elif text != wanted:
                found.append(f"text {text!r}, recorded {wanted!r}")
        return found


def unique(paths: list[str]) -> list[str]:
    return list(dict.fromkeys(paths))


def write_blocks(agent: str, got: AgentInput) -> list[str]:
    """The entries in the wrapping of the agent, which the product does not reproduce."""
    system = [entry for entry in got.entries if entry.kind.role == "system"]
    user = [entry for entry in got.entries if entry.kind.role == "user"]
    match agent:
        case "claude":
            items = [f"Contents of {e.path} ({e.kind.name}):\n\n{e.text}" for e in user]
            head = "<system-reminder>\n{FRAMING}\n\n"
            return [f"{head}{JOIN.join(items)}\n</system-reminder>"] if items else []
        case "gemini":
            return [*gemini_user(user), *gemini_system(system)]
        case _:
            items = [f"Instructions from: {e.path}\n{e.text}" for e in system]
            return ["\n".join(items) + "\n"] if items else []


def gemini_entry(entry: LoadedEntry) -> str:
    head, tail = "--- Context from: ", "--- End of Context from: "
    return f"{head}{entry.path} ---\n{entry.text}\n{tail}{entry.path} ---"


def gemini_user(entries: list[LoadedEntry]) -> list[str]:
    parts = []
    for tag, name in (("extension_context", "extension"), ("project_context", "project")):
        items = [gemini_entry(entry) for entry in entries if entry.kind.name == name]
        if items:
            parts.append(f"<{tag}>\n{JOIN.join(items)}\n</{tag}>")
    return [f"<loaded_context>\n{LINE.join(parts)}\n</loaded_context>"] if parts else []


def gemini_system(entries: list[LoadedEntry]) -> list[str]:
    items = ["\n\n".join(gemini_entry(e) for e in entries if e.kind.name == "global")]
    if items[0] and any(entry.kind.name == "memory" for entry in entries):
        items = [f"<global_context>\n{items[0]}\n</global_context>"]
    for entry in entries:
        if entry.kind.name == "memory":
            words = "Private Project Memory Index"
            items.append(
                f"<user_project_memory>\n--- {words} (private, not committed to repo) ---\n"
                f"{gemini_entry(entry)}\n--- End {words} ---\n</user_project_memory>"
            )
    text = "\n".join(item for item in items if item)
    return [f"<loaded_context>\n{text}\n</loaded_context>"] if text else []


def build(path: Path, base: Path) -> Built:
    """The case of a file, below an empty folder; skipped where the recordings are not here."""
    if not path.parent.is_dir():
        pytest.skip(f"the recorded trees are not here (../shared/cases/agents/{path.parent.name})")
    case: dict[str, Any] = json.loads(path.read_bytes())
    built = Built(case, base / "w", base / "h")
    etc = base / "etc"
    for folder in (built.root, built.home, etc):
        folder.mkdir()
    build_git(case["git"] or {}, built.root)
    write_files(built.root, case["files"], built.replace)
    case["expected"].setdefault("notes", [])
    home = {built.replace(path): spec for path, spec in case["home"].items()}
    write_files(built.home, home, built.replace)
    write_files(etc, case.get("etc") or {}, built.replace)
    if case.get("config") is not None:
        place = built.home / SETTINGS[case["agent"]]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(built.replace(json.dumps(case["config"])))
    (built.root / case["cwd"]).mkdir(parents=True, exist_ok=True)
    return built
