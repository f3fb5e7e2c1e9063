"""Write docs/agent-rules.md, the page of the agents' rules, from their descriptions.

python tools/write_agents_page.py          # writes the page
python tools/write_agents_page.py --check  # exit 1 where it says anything else
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from assembler.agents import rules as words  # noqa: E402
from assembler.front.agent_inputs import known_agents, known_versions, option_names  # noqa: E402

PAGE = ROOT / "docs/agent-rules.md"
HEAD = """# What each agent loads

Written by `tools/write_agents_page.py` from the descriptions in `assembler/agents/known/`.
Each is held to trees that were recorded from the real program of the version that is named.
Another version may differ; `--agent-version` takes an older one that was measured.
Codex has a page of its own: [compatibility.md](compatibility.md).
A new agent is a new file of that folder, with a `RULES`
of the records in `assembler/agents/rules.py`.
"""
STOPS = {
    "file-system": "every folder above the start, up to the top of the file system",
    "git-or-file-system": "up to the repository; without one up to the top of the file system",
    "marker-or-cwd": "up to the nearest marker; without one the start folder alone",
}
ORDERS = {
    "down": "root first, start folder last",
    "up": "start folder first, root last",
    "path-bytes": "by the bytes of the paths",
}


def place(found: words.Place) -> str:
    """A place as a person writes it."""
    base = {"home": "~/", "system": "SYSTEM/", "cwd": "", "root": "", "none": ""}[found.base]
    text = f"`{base}{found.path}`" if found.base != "none" else ""
    if found.variable is None:
        return text
    moved = f"`${found.variable}/{found.path.partition('/')[2]}`"
    return f"{moved} or {text}" if text else moved


def here(steps: tuple[words.FileHere | words.RulesHere, ...]) -> str:
    """What is taken in one folder."""
    parts = []
    for step in steps:
        if isinstance(step, words.RulesHere):
            parts.append(f"`{step.path}/**/*.md`")
        else:
            parts.append(f"`{step.path}`" + (" (fallback)" if step.is_fallback else ""))
    return ", ".join(parts)


def step_row(step: words.Step) -> tuple[str, str]:
    """One step of a description in words."""
    match step:
        case words.SettingText():
            return "text of a setting", f"`{step.key}` of the machine's settings"
        case words.Names():
            names = ", ".join(f"`{name}`" for name in step.names)
            more = "names of the settings, then " if step.with_configured else ""
            return f"{step.kind.source} files", f"{more}{names} in {place(step.folder)}"
        case words.FirstOf():
            return "the first that exists", ", ".join(map(place, step.places))
        case words.RulesIn():
            return f"{step.kind.source} rules", f"`*.md` below {place(step.folder)}"
        case words.Walk():
            configured = ", and names of the settings" if step.with_configured else ""
            choice = "; one name for the whole walk" if step.choice == "one-name" else ""
            files = f"{here(step.here)}{configured}{choice}"
            return "the walk", f"{files}; {STOPS[step.stop]}; {ORDERS[step.order]}"
        case words.Added():
            needs = f" with `{step.needs_variable}`" if step.needs_variable else ""
            return f"`--{step.option}`{needs}", f"{here(step.here)} of the added folders"
        case words.Memory():
            limit = f", the first {step.most_lines} lines" if step.most_lines else ""
            return "memory", f"`~/{step.path}`{limit}"
        case words.Listed():
            return "listed", f"files and patterns of `{step.key}`, of all settings together"
        case words.Extensions():
            return "extensions", f"`{step.key}` of each `{step.manifest}` in {place(step.folder)}"


def rows(rules: words.AgentRules) -> Iterator[tuple[str, str]]:
    """The rules of one agent, a row each."""
    yield "measured on", ", ".join(known_versions(rules.name))
    for number, step in enumerate(rules.steps, start=1):
        name, text = step_row(step)
        yield f"{number}. {name}", text
    yield (
        "one file under two names",
        {
            "real-path": "once, by where it really is",
            "path": "once for each name",
            "twice": "each time",
        }[rules.same_file],
    )
    text = rules.text
    treated = [
        "byte order mark dropped" if text.drops_bom else "byte order mark kept",
        "trimmed" if text.trims else "edges kept",
        "front matter removed" if text.drops_front_matter else "front matter kept",
        "comments that are blocks removed" if text.drops_comments else "comments kept",
        "a blank file is an entry" if text.keeps_blank else "a blank file is none",
        "U+FFFD for what is not UTF-8",
    ]
    yield "text", ", ".join(treated)
    if rules.imports is None:
        yield "imports (`@path`)", "none"
    else:
        how = "an entry behind the file" if rules.imports.style == "appended" else "in place"
        gate = {"none": "everywhere", "below-cwd": "below the start folder",
                "below-root": "below the repository"}[rules.imports.gate]  # fmt: skip
        hops = rules.imports.most_hops
        yield "imports (`@path`)", f"{how}, {hops} deep, of a project's files {gate}"
    if rules.on_read is not None:
        joined = f"{here(rules.on_read.steps)} of the folders down to it"
        yield "when something below is read", f"{joined}; {ORDERS[rules.on_read.order]}"
    options = ", ".join(f"`{name}`" for name in option_names(rules))
    yield "options that decide", options or "none"
    variables = sorted(variables_of(rules))
    yield "variables that decide", ", ".join(f"`{name}`" for name in variables) or "none"
    if rules.trust is not None:
        yield "trust", f"without it exit {rules.trust.exit_code}, and nothing is loaded"
    yield "not covered", rules.not_covered


def variables_of(rules: words.AgentRules) -> set[str]:
    """Every environment variable that a description names."""
    found: set[str] = set()

    def look(value: object) -> None:
        if isinstance(value, words.Place | words.Memory | words.SettingsFile) and value.variable:
            found.add(value.variable)
        if isinstance(value, words.Switch) and value.variable:
            found.add(value.variable)
        if isinstance(value, words.TrustRules):
            found.add(value.variable)
        if isinstance(value, words.Added) and value.needs_variable:
            found.add(value.needs_variable)
        if isinstance(value, words.Walk):
            found.update(value.switched_off_by)
            found.update(name for _, names in value.name_switches for name in names)
        if isinstance(value, words.FirstOf):
            found.update(value.last_off_by)
        if isinstance(value, words.Listed):
            found.update(value.relative_off_by)
        if isinstance(value, words.SettingsRules):
            found.update(value.off_by)
        if isinstance(value, tuple):
            for one in value:
                look(one)

    look(rules)
    return found


def write_page() -> str:
    """The page."""
    lines = [HEAD]
    for name in known_agents():
        rules = known_versions(name)[next(iter(known_versions(name)))]
        lines += [f"## {rules.title}", "", "| rule | value |", "|---|---|"]
        lines += [f"| {rule} | {value} |" for rule, value in rows(rules)]
        older = [
            f"{version}: {one.differs}"
            for version, one in known_versions(name).items()
            if one.differs
        ]
        for title, texts in (
            ("Older versions:", older),
            ("Likely, and not measured:", rules.only_read),
            ("Another thing here:", rules.differences),
        ):
            if texts:
                lines += ["", title, "", *(f"- {text}" for text in texts)]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def main() -> int:
    """Write the page, or say whether it is right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    page = write_page()
    if not parser.parse_args().check:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    return 0 if PAGE.read_text(encoding="utf-8") == page else 1


if __name__ == "__main__":
    sys.exit(main())
