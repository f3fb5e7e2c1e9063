"""Measure which settings a Codex binary knows and what each takes; write `codex_known.py`.

Usage: CODEX_BIN=/path/to/codex python tools/measure_codex_settings.py [OUTPUT [NAME ...]]

The names are found, not listed: every piece of the binary's own texts that could be a name is
offered as a key, thousands at a time, with a value that hardly any setting takes. What is refused
is known. Then each known setting is offered one value of each kind. A setting that takes any
value whatever can't be found like this. All of them take a quarter of an hour;
NAME measures some settings of the top level only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parents[1] / "assembler" / "config" / "codex_known.py"
NEIGHBOURHOOD_PIECES = 40
LONGEST_NAME = 46
KEYS_AT_ONCE = 20_000
DEEPEST = 6
FREE = "zkey"
PROBES = {
    "text": '"zzz"',
    "empty": '""',
    "byte": "7",
    "short": "65535",
    "int": "4294967295",
    "long": "9223372036854775807",
    "zero": "0",
    "negative": "-7",
    "float": "1.5",
    "bool": "true",
    "list": "[]",
    "texts": '["a"]',
    "ints": "[7]",
    "tables": "[{}]",
    "lists": '[["a"]]',
    "table": "{}",
}
INTEGERS = ("byte", "short", "int", "long", "zero", "negative")
RANGES = {
    frozenset({"byte", "zero"}): "u8",
    frozenset({"byte", "short", "zero"}): "u16",
    frozenset({"byte", "short", "int", "zero"}): "u32",
    frozenset({"byte", "short", "int", "long", "zero"}): "u64",
    frozenset(INTEGERS): "i64",
    frozenset({"byte"}): "positive-u8",
    frozenset({"byte", "short"}): "positive-u16",
    frozenset({"byte", "short", "int"}): "positive-u32",
    frozenset({"byte", "short", "int", "long"}): "positive-u64",
}
LATER = "failed to resolve feature override precedence"
"""Begins what Codex says of settings that it could read and then refuses for their meaning."""
FILLERS = ('"a"', "true", "1", "{}", "[]", '"connector"', '"local"')

SettingPath = tuple[str, ...]


class Codex:
    """One app server, asked for its configuration again and again."""

    def __init__(self, binary: str, home: Path) -> None:
        self.config = home / ".codex" / "config.toml"
        self.cwd = home / "project"
        self.cwd.mkdir()
        self.config.parent.mkdir()
        keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.binary = binary
        self.environment = {**keep, "HOME": str(home)}
        self.process = subprocess.Popen(
            [binary, "app-server"],
            cwd=self.cwd,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.count = 0
        self.notices: list[dict[str, Any]] = []
        client = {"name": "measure", "version": "1"}
        self.call("initialize", {"clientInfo": client})
        self._send({"method": "initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request; notices that come before it are kept."""
        assert self.process.stdout is not None
        self.count += 1
        self._send({"id": self.count, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.count:
                return answer
            self.notices.append(answer)

    def refusal(self, text: str) -> str | None:
        """What Codex says of a configuration; None where it takes it."""
        self.config.write_text(text, encoding="utf-8")
        answer = self.call("config/read", {"cwd": str(self.cwd)})
        if "result" in answer:
            return None
        message: str = answer["error"]["message"].strip()
        return None if message.startswith(LATER) else message

    def passes_over(self, text: str) -> bool:
        """Whether Codex takes a configuration and warns of a setting that it does not know."""
        self.config.write_text(text, encoding="utf-8")
        self.notices.clear()
        self.call("thread/start", {"cwd": str(self.cwd), "ephemeral": True})
        self.call("config/read", {})
        return any("unrecognized" in json.dumps(notice) for notice in self.notices)

    def features(self) -> set[str]:
        """The features that the binary lists."""
        self.config.write_text("", encoding="utf-8")
        listed = subprocess.run(
            [self.binary, "features", "list"],
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return {line.split()[0].partition(".")[0] for line in listed.stdout.splitlines()}

    def top_level(self) -> list[str]:
        """The names that Codex itself tells."""
        self.config.write_text("", encoding="utf-8")
        return list(self.call("config/read", {})["result"]["config"])


class Vocabulary:
    """What of a binary's own texts could be a name."""

    def __init__(self, binary: str) -> None:
        found = re.findall(rb"[\t -~]{6,}", Path(binary).read_bytes())
        self.pieces = [piece.decode("ascii") for piece in found]

    def near_types(self) -> set[str]:
        """The names in the pieces around those that name configuration types."""
        marked = [place for place, piece in enumerate(self.pieces) if "ConfigToml" in piece]
        return _names_in(
            self.pieces[place]
            for middle in marked
            for place in range(middle - NEIGHBOURHOOD_PIECES, middle + NEIGHBOURHOOD_PIECES)
        )

    def near_names(self, names: set[str]) -> set[str]:
        """The names in the few pieces that hold all of some names together."""
        long = [piece for piece in self.pieces if len(piece) > 10 * LONGEST_NAME]
        chosen: list[str] = []
        left = set(names)
        while left:
            best = max(long, key=partial(_count_held, left))
            held = {name for name in left if name in best}
            if not held:
                break
            chosen.append(best)
            left -= held
        return _names_in(chosen)

    def words(self) -> set[str]:
        """The whole words of all pieces."""
        pattern = rf"(?<!\w)[a-z][a-z0-9_]{{1,{LONGEST_NAME}}}(?!\w)"
        words = set(re.findall(pattern, " ".join(self.pieces)))
        return {word for word in words if "__" not in word and word[-1] != "_"}


def _count_held(names: set[str], piece: str) -> int:
    return sum(name in piece for name in names)


def _names_in(pieces: Iterable[str]) -> set[str]:
    names: set[str] = set()
    for piece in pieces:
        for run in re.findall(r"[a-z0-9_]+", piece):
            for start in range(len(run)):
                if run[start].isalpha():
                    names.update(_names_from(run, start))
    return names


def _names_from(run: str, start: int) -> Iterator[str]:
    for end in range(start + 2, min(len(run), start + LONGEST_NAME) + 1):
        name = run[start:end]
        if name[-1] != "_" and "__" not in name:
            yield name


class Measurement:
    """Walks the settings and keeps what each takes."""

    def __init__(self, codex: Codex, names: set[str]) -> None:
        self.codex = codex
        self.names = sorted(names)
        self.few_names: list[str] = []
        """For a table whose messages name no member: each has to be found by halving."""
        self.found: set[str] = set()
        self.lines: list[tuple[SettingPath, str]] = []
        self.bases: dict[SettingPath, dict[str, str]] = {}
        self.required: set[SettingPath] = set()

    def write(self, path: SettingPath, value: str) -> str:
        """A configuration with one value, and what its tables can't be without."""
        for depth in range(len(path) - 1, -1, -1):
            step = path[depth]
            if step == "[]":
                value = f"[{value}]"
                continue
            key = FREE if step == "*" else step
            if depth == 0:
                return f"{key} = {value}\n"
            beside = self.bases.get(path[:depth], {})
            rest = "".join(f", {name} = {text}" for name, text in beside.items() if name != key)
            value = f"{{{key} = {value}{rest}}}"
        raise AssertionError(path)

    def probe(self, path: SettingPath) -> dict[str, str | None]:
        """What Codex says to one value of each kind."""
        return {name: self.codex.refusal(self.write(path, v)) for name, v in PROBES.items()}

    def find_base(self, path: SettingPath) -> dict[str, str] | None:
        """The members that a table needs; None where no table is taken."""
        base: dict[str, str] = {}
        for _ in range(8):
            spelled = "{" + ", ".join(f"{key} = {value}" for key, value in base.items()) + "}"
            said = self.codex.refusal(self.write(path, spelled))
            if said is None:
                return base
            missing = re.search(r"missing field `(\w+)`", said)
            name = missing.group(1) if missing else None
            if name is not None:
                self.required.add((*path, name))
            if "transport" in said and "command" not in base:
                name = "command"
            elif "name must not be empty" in said and "name" not in base:
                name = "name"
            if name is None or name in base:
                return None
            for filler in FILLERS:
                trial = {**base, name: filler}
                spelled = "{" + ", ".join(f"{key} = {v}" for key, v in trial.items()) + "}"
                answer = self.codex.refusal(self.write(path, spelled))
                if answer is None or "missing field" in answer:
                    base = trial
                    break
            else:
                return None
        return None

    def visit(self, path: SettingPath) -> None:
        """Measure one setting and all below it."""
        probes = self.probe(path)
        base = self.find_base(path) if probes["table"] is not None else {}
        takes = {name for name, said in probes.items() if said is None}
        if base is not None:
            takes.add("table")
            self.bases[path] = base
        kinds = self.kinds(path, takes, probes)
        variants = self.variants(path, str(probes["text"])) if base is None else []
        if variants:
            kinds.insert(0, "variant")
        self.lines.append((path, "|".join(kinds)))
        if len(path) >= DEEPEST or "any" in kinds:
            return
        if "list" in kinds:
            self.visit((*path, "[]"))
        for variant in variants:
            self.visit((*path, variant))
        if base is not None:
            self.visit_members(path, base)

    def variants(self, path: SettingPath, said: str) -> list[str]:
        """The words of a setting that may also be a table with one such word as its key."""
        found = []
        for word in _words(said):
            answer = self.codex.refusal(self.write((*path, word), "{}"))
            if answer is None or "missing field" in answer:
                found.append(word)
        return found

    def mark(self, path: SettingPath, kind: str) -> None:
        """Add a kind to a setting that was measured."""
        place = next(i for i, (known, _) in enumerate(self.lines) if known == path)
        self.lines[place] = (path, f"{self.lines[place][1]}|{kind}")

    def kinds(self, path: SettingPath, takes: set[str], probes: dict[str, str | None]) -> list[str]:
        """The kinds of value that a setting takes, as `codex_shapes` reads them."""
        if takes >= set(PROBES):
            return ["any"]
        kinds = [kind for kind in ("bool", "float", "table") if kind in takes]
        if "text" in takes:
            kinds.append("text" if "empty" in takes else "name")
        integers = frozenset(takes & set(INTEGERS))
        if integers:
            kinds.append(RANGES.get(integers, "i64"))
        if "list" in takes or takes & {"texts", "ints", "tables", "lists"}:
            # A struct takes its members as a list too; of that the empty list is kept alone.
            is_struct = "struct" in str(probes["bool"]) + str(probes["byte"])
            is_unit = "empty array" in str(probes["texts"])
            if not is_struct and not is_unit:
                kinds.append("list")
            elif "list" in takes:
                kinds.append("empty")
        elif "expected a sequence" in str(probes["bool"]):
            kinds.append("list")
        words = _words(str(probes["text"]))
        if words:
            kinds.append(f"({','.join(words)})")
        if any("untagged enum" in str(said) for said in probes.values()):
            kinds.append("flat")
        if path in self.required:
            kinds.insert(0, "required")
        return kinds

    def visit_members(self, path: SettingPath, base: dict[str, str]) -> None:
        """Measure what a table holds: its own members, and free ones where it takes them."""
        free = {
            name: self.codex.refusal(self.write((*path, "*"), value))
            for name, value in PROBES.items()
        }
        listed = re.search(r"unknown field `\w+`, expected ([^\n]*)", str(free["float"]))
        if listed is not None:
            members = set(re.findall(r"`(\w+)`", listed.group(1)))
        else:
            if _is_flat(str(free["float"]), path) and "flat" not in self.lines[-1][1]:
                self.mark(path, "flat")
            taken = next((name for name, said in free.items() if said is None), None)
            if taken is not None:
                warns = self.codex.passes_over(self.write((*path, "*"), PROBES[taken]))
                if any(free.values()) and warns:
                    self.mark(path, "named")
                elif not any(free.values()) and not warns:
                    self.mark(path, "open")
            if any(free.values()):
                self.visit((*path, "*"))
                members = self.named_beside_free(path, free)
                if path[-1] == "features":
                    members |= self.codex.features()
            else:
                members = self.harvest(path, base)
        members |= base.keys()
        self.found |= members
        for name in sorted(members):
            self.visit((*path, name))

    def named_beside_free(self, path: SettingPath, free: dict[str, str | None]) -> set[str]:
        """The members of a table with free names: they take other values than a free one."""
        candidates = self.found | {step for known, _ in self.lines for step in known}
        members: set[str] = set()
        for name in sorted(candidates - {"*", "[]"}):
            for kind in ("bool", "float", "text", "list"):
                said = self.codex.refusal(self.write((*path, name), PROBES[kind]))
                if _without_place(said) != _without_place(free[kind]):
                    members.add(name)
                    break
        return members

    def harvest(self, path: SettingPath, base: dict[str, str]) -> set[str]:
        """The members of a table that refuse a number with a point, or `true`."""
        members: set[str] = set()
        flat = any("flat" in shape for known, shape in self.lines if known == path[: len(known)])
        every = self.few_names if flat else self.names
        for value, names in (("1.5", every), ("true", sorted(self.found))):
            for start in range(0, len(names), KEYS_AT_ONCE):
                part = set(names[start : start + KEYS_AT_ONCE]) - members
                while name := self.refused_member(path, base, part, value):
                    members.add(name)
                    part.discard(name)
        return members

    def refused_member(
        self, path: SettingPath, base: dict[str, str], names: set[str], value: str
    ) -> str | None:
        """One name that is refused: as the message tells it, else found by halving."""
        text = self.write_many(path, base, names, value)
        said = self.codex.refusal(text)
        if said is None or "missing field" in said:
            return None
        name = _refused_name(said, _dotted(path), text)
        if name in names:
            return name
        left = sorted(names)
        while len(left) > 1:
            half = left[: len(left) // 2]
            said = self.codex.refusal(self.write_many(path, base, set(half), value))
            left = half if said is not None and "missing field" not in said else left[len(half) :]
        said = self.codex.refusal(self.write_many(path, base, set(left), value))
        return left[0] if said is not None and left else None

    def write_many(
        self, path: SettingPath, base: dict[str, str], names: set[str], value: str
    ) -> str:
        """A configuration with many members of one table, each on a line of its own."""
        pairs = [f"{name} = {value}" for name in sorted(names - base.keys())]
        pairs += [f"{name} = {text}" for name, text in base.items()]
        return "\n".join([*self.headers(path), *pairs]) + "\n"

    def headers(self, path: SettingPath) -> list[str]:
        """The lines that open a table, with what the tables around it can't be without."""
        lines: list[str] = []
        names: list[str] = []
        for depth, step in enumerate(path, 1):
            if step != "[]":
                names.append(FREE if step == "*" else step)
            is_list = step == "[]"
            base = self.bases.get(path[:depth], {}) if depth < len(path) else {}
            if depth == len(path) or base or is_list:
                dotted = ".".join(names)
                lines.append(f"[[{dotted}]]" if is_list else f"[{dotted}]")
                lines += [f"{name} = {text}" for name, text in base.items()]
        return lines


def _without_place(said: str | None) -> str:
    return re.sub(r"\s*in `[^`\n]*`\s*\Z", "", said or "")


def _words(said: str) -> list[str]:
    """The words that a refused one should have been."""
    if "unknown variant" not in said:
        return []
    return re.findall(r"`([^`]+)`", said.partition("expected")[2].partition("\n")[0])


def _dotted(path: SettingPath) -> str:
    text = ""
    for step in path:
        text += "[0]" if step == "[]" else f".{FREE if step == '*' else step}"
    return text.removeprefix(".")


def _is_flat(said: str, path: SettingPath) -> bool:
    """Whether a message about a member names its table instead."""
    named = re.search(r"in `([^`\n]*)`\s*\Z", said)
    return named is not None and named.group(1) == _dotted(path)


def _refused_name(said: str, parent: str, text: str) -> str | None:
    """The member that a message names, by its path or its line, directly below the parent."""
    line = re.search(r"config\.toml:(\d+):\d+: ", said)
    if line is not None:
        return text.splitlines()[int(line.group(1)) - 1].partition(" ")[0]
    named = re.search(r"in `([^`\n]*)`\s*\Z", said)
    before, _, name = named.group(1).rpartition(".") if named else ("", "", "")
    return name if named and before == parent else None


def _top_level_names(codex: Codex, measurement: Measurement) -> set[str]:
    """The names of the top level: what is refused, and what Codex itself tells."""
    return measurement.harvest((), {}) | set(codex.top_level())


def main() -> None:
    """Measure the binary that CODEX_BIN names."""
    binary = os.environ["CODEX_BIN"]
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        codex = Codex(binary, Path(folder).resolve())
        vocabulary = Vocabulary(binary)
        measurement = Measurement(codex, vocabulary.near_types())
        top_level = _top_level_names(codex, measurement)
        measurement.found |= top_level
        measurement.few_names = sorted(vocabulary.words() | top_level)
        measurement.names = sorted({*vocabulary.near_names(top_level), *measurement.few_names})
        print(len(measurement.names), "names", file=sys.stderr, flush=True)
        for name in sys.argv[2:] or sorted(top_level):
            measurement.visit((name,))
            print(name, len(measurement.lines), file=sys.stderr, flush=True)
            # Written each time, so that a run which is stopped leaves what it found.
            _write(output, version.stdout.split()[-1], measurement.lines)
        codex.process.kill()
        codex.process.wait()


def _write(output: Path, version: str, lines: list[tuple[SettingPath, str]]) -> None:
    text = "\n".join(f"{'.'.join(path)} {shape}" for path, shape in lines if shape)
    output.write_text(
        "# ruff: noqa: E501\n"
        f'"""Every setting that Codex {version} knows; see `codex_shapes`.\n\n'
        "Written by `tools/measure_codex_settings.py`.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n\n'
        f'KNOWN: Final = """\\\n{text}\n"""\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
