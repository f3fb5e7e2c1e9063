"""Random trees with what decides beside the texts: settings, links, bytes, `.git`, options."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from typing import Any

from tests.builders.random_agents import FOLDERS, NAMES, random_case, text

OPTION = "cc-plugin-agents-md@builtin"
MODES = ("claude-md-and-agents-md", "claude-md", "claude-md-or-agents-md", "managed-only", "odd")
EXCLUDES = (
    "**/CLAUDE.md", "{ROOT}/CLAUDE.md", "{ROOT}/a/**", "**/rules/**", "**/*.local.md", "*",
    "{ROOT}/*", "{ROOT}/{a,docs}/*.md", "**/.claude/**", "**/[a-c]/*.md", "{HOME}/**", "**/a/*",
    "!**/a/**", "**/CLAUDE.m?", "a/CLAUDE.md", "", "/", "**", "{ROOT}/l/**", "**/.claude/*.md",
)  # fmt: skip
PATHS = (
    "paths: docs/**", "paths: ['**']", "paths:\n  - a\n  - '**'", "paths: ''", "paths:", "paths: ~",
    "paths: '*'", "paths: \"**/*.md\"", "paths: {a: b}", "paths: [[a]]", "Paths: x", "paths: a, b",
    "paths: '**,'", "paths: [' ** ']", "paths: ./**", "paths: /", "globs: x", "paths: [~]",
    "paths: [a, ~]", "paths: >\n  **\n  x", "paths: &a b", "paths: # none",
)  # fmt: skip
LISTS = (
    "x.md", "*.md", "**/x.md", "a/**/*.md", "{x,a/y}.md", "./docs/*.md", "../x.md", "~/h.md", "~/*",
    "[xy].md", "?.md", "l/*.md", "l/**", "**", "nope", "a", "a/", ".claude/*.md", "**/.*/*.md",
    "{ROOT}/x.md", "{ROOT}/a/*.md", "/nope/*", "", " x.md", "x y.md", "!x.md", "docs/x.MD",
    "a/../x.md", "**/docs/**", "x\\.md", "A/*.md", "*/x.md", "**/*", "x.md/", "https://h.invalid/x",
)  # fmt: skip
FILE_NAMES = (
    "TEAM.md", "x.md", "docs/x.md", "a/y.md", " AGENTS.md ", "", "./x.md", "../x.md", "*.md",
    "gemini.md", ".gemini/GEMINI.md", "{ROOT}/x.md", "~/h.md", "GEMINI.md", "x y.md", "x",
)  # fmt: skip
ODD = (
    b"\xef\xbb\xbfbom", b"\xef\xbb\xbf\xef\xbb\xbftwo", b"\xff\xfeu\x00", b"a\xffb", b"a\x00b",
    b"\xe2\x82", b"\xed\xa0\x80 pair", b"\xf4\x90\x80\x80", b"a\rb\rc", b"\x0c\x0b\x1c ws \x85",
    b"\xc2\xa0 nbsp \xc2\xa0", b"\xe2\x80\xa8 line \xe2\x80\xa9",
    b"\xef\xbb\xbf---\npaths: a\n---\nx",
    b"---\r\npaths: a\r\n---\r\nx", b"\xe3\x80\x80wide\xe3\x80\x80", b"\xc0\xafshort", b"\x1b[0m",
    b"\xef\xbb\xbf\n\n", b"  \n\xef\xbb\xbf", b"\xe2\x80\x8bzero\xe2\x80\x8b", b"\xef\xbb\xbf@x.md",
    b"\n\n  lead @./x.md", b"@./x.md\x00", b"@x.md\xff",
)  # fmt: skip
GITS: tuple[dict[str, Any], ...] = (
    {".git": {"text": "gitdir: nowhere\n"}}, {".git": {"dir": True}}, {".git": {"text": ""}},
    {".git/HEAD": {"text": "ref: refs/heads/main\n"}}, {".git": {"symlink": "nowhere"}},
    {".git": {"symlink": "../.git"}},
)  # fmt: skip


def wide_case(agent: str, seed: int) -> dict[str, Any]:
    """A random case with some of what decides beside the texts."""
    draw = random.Random(f"wide {agent} {seed}")
    case = random_case(agent, draw.randrange(10**9))
    case |= {"name": f"wide {seed}", "env": {}, "args": []}
    if draw.random() < 0.5:
        # Long texts hide what decides whether a file is in at all.
        for path, spec in case["files"].items():
            if isinstance(spec, str) and ".json" not in path:
                case["files"][path] = f"{path}\n"
    ways = draw.sample([odd_bytes, links, git_places, odd_case, *OWN[agent]], draw.randint(1, 4))
    for way in ways:
        way(draw, case)
    case["files"] = {path: spec for path, spec in case["files"].items() if fits(path, case)}
    return case


def fits(path: str, case: dict[str, Any]) -> bool:
    """Whether no other path of the case is a file or a link above this one."""
    parts = path.split("/")
    above = {"/".join(parts[:end]) for end in range(1, len(parts))}
    return not above & case["files"].keys()


def odd_bytes(draw: random.Random, case: dict[str, Any]) -> None:
    for path in draw.sample(sorted(case["files"]), min(2, len(case["files"]))):
        case["files"][path] = {"base64": base64.b64encode(draw.choice(ODD)).decode()}


def links(draw: random.Random, case: dict[str, Any]) -> None:
    agent, names = case["agent"], NAMES[case["agent"]]
    for _ in range(draw.randint(1, 3)):
        path = draw.choice([
            f"{draw.choice(FOLDERS)}{draw.choice(names)}", "l", "a/l", "docs/l", "a/.claude",
            ".claude/rules/l", ".claude/rules/l.md", "a/docs", f"a/.{agent}", "A/x.md",
        ])  # fmt: skip
        target = draw.choice([
            "x.md", "a", "docs", ".", "..", "../x.md", "../docs", "{HOME}", "{HOME}/h.md",
            "../../x.md", "{ROOT}/x.md", "../a/y.md", path.rpartition("/")[2], "nowhere",
        ])  # fmt: skip
        case["files"].pop(path, None)
        case["files"][path] = {"symlink": target}


def git_places(draw: random.Random, case: dict[str, Any]) -> None:
    case["git"] = draw.choice([{"init": ["."]}, {"init": ["a"]}, {"init": [".", "a"]}, None])
    folder = draw.choice(["a/", "docs/", "a/b/", ""])
    inits = (case["git"] or {}).get("init", ())
    if (folder.rstrip("/") or ".") not in inits:
        for path, spec in draw.choice(GITS).items():
            case["files"][folder + path] = spec
    case["cwd"] = draw.choice([".", "a", "a/b", "docs", "a/docs"])


def odd_case(draw: random.Random, case: dict[str, Any]) -> None:
    name = draw.choice(NAMES[case["agent"]])
    case["files"][draw.choice(FOLDERS) + draw.choice([name.lower(), name.upper()])] = "odd case\n"
    case["files"][draw.choice(FOLDERS) + draw.choice([name + ".bak", name + "/x.md"])] = "near\n"


def some(draw: random.Random, of: tuple[str, ...], most: int = 3) -> list[str]:
    return draw.sample(of, draw.randint(1, most))


def claude_settings(draw: random.Random, case: dict[str, Any]) -> None:
    def value() -> dict[str, Any]:
        found: dict[str, Any] = {}
        if draw.random() < 0.6:
            found["claudeMdExcludes"] = some(draw, EXCLUDES)
        if draw.random() < 0.5:
            option = {"instructionFiles": draw.choice(MODES)}
            found["pluginConfigs"] = {OPTION: {"options": option}}
        if draw.random() < 0.2:
            found["enabledPlugins"] = {OPTION: draw.choice([True, False])}
        return found

    for place in draw.sample(["", "a/"], draw.randint(0, 2)):
        for name in draw.sample(["settings.json", "settings.local.json"], draw.randint(1, 2)):
            case["files"][f"{place}.claude/{name}"] = json.dumps(value())
    if draw.random() < 0.5:
        case["config"] = value()
    if draw.random() < 0.3:
        case["args"] = ["--setting-sources", draw.choice(["user", "project", "user,local", ""])]


def claude_rules(draw: random.Random, case: dict[str, Any]) -> None:
    for _ in range(draw.randint(1, 4)):
        folder = draw.choice(["", "a/", "a/b/"])
        name = draw.choice(["r.md", "s/t.md", "s/u.MD", "v.txt", ".h.md", ".d/w.md", "R.md"])
        end = draw.choice(["\n", "\r\n"])
        head = f"---{end}{draw.choice(PATHS)}{end}---{end}"
        body = draw.choice(["rule", "", "@x.md", "@../../x.md", "<!-- c -->\nrule"])
        case["files"][f"{folder}.claude/rules/{name}"] = {"text": head + body}


def claude_places(draw: random.Random, case: dict[str, Any]) -> None:
    way = draw.choice(["config", "add", "memory", "simple", "approved"])
    if way == "config":
        case["env"] |= {
            "CLAUDE_CONFIG_DIR": draw.choice(["{HOME}/cc", "{HOME}/.claude/", "{ROOT}/a"])
        }
        case["home"] |= {"cc/CLAUDE.md": "of cc @h.md\n", "cc/rules/r.md": text(draw)}
    elif way == "add":
        case["env"] |= {"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": draw.choice(["1", "0", ""])}
        case["args"] = [
            "--add-dir",
            *some(draw, ("docs", "a", "../h", "{ROOT}", "a/docs", "{HOME}"), 2),
        ]
        case["files"] |= {"docs/CLAUDE.md": "docs\n", "docs/CLAUDE.local.md": "@x.md\n",
                          "docs/.claude/rules/r.md": "rule\n"}  # fmt: skip
    elif way == "memory":
        case["home"] |= {".claude/projects/{SLUG}/memory/MEMORY.md": text(draw) + "m\n",
                         ".claude/projects/{SLUG}-a/memory/MEMORY.md": "of a\n"}  # fmt: skip
    elif way == "simple":
        name = draw.choice(["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
                            "CLAUDE_CODE_DISABLE_AUTO_MEMORY"])  # fmt: skip
        case["env"] |= {name: draw.choice(["1", "0", "true", "no", ""])}
    else:
        flag = {"hasClaudeMdExternalIncludesApproved": True}
        place = draw.choice(["{ROOT}", "{ROOT}/a", "{ROOT}/.."])
        case["home"] |= {".claude.json": json.dumps({"projects": {place: flag}})}
        case["files"] |= {"a/CLAUDE.md": "@../x.md @../../h/h.md @~/h.md\n", "x.md": "x\n"}


def gemini_settings(draw: random.Random, case: dict[str, Any]) -> None:
    def value() -> dict[str, Any]:
        found: dict[str, Any] = {}
        if draw.random() < 0.6:
            names = some(draw, FILE_NAMES)
            found["fileName"] = names if draw.random() < 0.7 else names[0]
        if draw.random() < 0.4:
            found["memoryBoundaryMarkers"] = some(draw, (".git", "M", "x.md", "a", "", "docs/x.md"))
        if draw.random() < 0.3:
            found["includeDirectories"] = some(
                draw, ("{ROOT}/docs", "{ROOT}/a", "~", "{ROOT}/a/docs"), 2
            )
            found["loadMemoryFromIncludeDirectories"] = draw.choice([True, False])
        if draw.random() < 0.3:
            found["importFormat"] = draw.choice(["flat", "tree"])
        return {"context": found}

    if draw.random() < 0.7:
        case["config"] = value()
    for place in draw.sample(["", "a/"], draw.randint(0, 2)):
        case["files"][f"{place}.gemini/settings.json"] = json.dumps(value())
    # A folder that is not there stops the program.
    case["files"] |= {"M": "marker\n", "docs/k": "k\n", "a/docs/k": "k\n", "a/k": "k\n"}


def gemini_places(draw: random.Random, case: dict[str, Any]) -> None:
    way = draw.choice(["include", "extension", "memory", "trust"])
    if way == "include":
        case["args"] = [
            "--include-directories",
            draw.choice(["docs", "a,docs", "a/docs", "{ROOT}"]),
        ]
        case["files"] |= {"docs/GEMINI.md": "docs @x.md\n", "a/docs/GEMINI.md": "a docs\n"}
        case["cwd"] = "."
    elif way == "extension":
        for name in draw.sample(["b", "a", "C"], draw.randint(1, 2)):
            place = f".gemini/extensions/{name}"
            more: dict[str, Any] = {} if draw.random() < 0.5 else {"contextFileName": "x.md"}
            case["home"] |= {
                f"{place}/gemini-extension.json": json.dumps({"name": name, "version": "1"} | more),
                f"{place}/GEMINI.md": text(draw), f"{place}/x.md": f"x of {name}\n",
            }  # fmt: skip
    elif way == "memory":
        case["home"] |= {".gemini/tmp/w/memory/MEMORY.md": text(draw),
                         ".gemini/tmp/a/memory/MEMORY.md": "of a\n"}  # fmt: skip
    else:
        case["env"] |= {"GEMINI_CLI_TRUST_WORKSPACE": None}
        level = draw.choice(["TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"])
        place = draw.choice(["{ROOT}", "{ROOT}/a", "{ROOT}/..", "{ROOT}/a/b", "/"])
        case["home"] |= {".gemini/trustedFolders.json": json.dumps({place: level})}


def opencode_settings(draw: random.Random, case: dict[str, Any]) -> None:
    def value() -> str:
        found = json.dumps({"instructions": some(draw, LISTS)})
        return draw.choice(["", "", "// c\n"]) + found

    places = ["opencode.json", "opencode.jsonc", "a/opencode.json", ".opencode/opencode.json",
              "a/.opencode/opencode.jsonc"]  # fmt: skip
    for place in draw.sample(places, draw.randint(0, 3)):
        case["files"][place] = value()
    if draw.random() < 0.6:
        case["config"] = {"instructions": some(draw, LISTS)}
    if draw.random() < 0.3:
        case["home"] |= {
            ".config/opencode/opencode.jsonc": value(),
            ".opencode/opencode.json": value(),
        }


def opencode_places(draw: random.Random, case: dict[str, Any]) -> None:
    way = draw.choice(["xdg", "dir", "config", "off", "project"])
    if way == "xdg":
        case["env"] |= {"XDG_CONFIG_HOME": "{HOME}/xc"}
        case["home"] |= {"xc/opencode/AGENTS.md": text(draw)}
    elif way == "dir":
        case["env"] |= {"OPENCODE_CONFIG_DIR": "{HOME}/cd"}
        case["home"] |= {
            "cd/AGENTS.md": text(draw),
            "cd/opencode.json": '{"instructions":["x.md"]}',
        }
    elif way == "config":
        case["env"] |= {"OPENCODE_CONFIG": "{HOME}/my.json"}
        case["home"] |= {"my.json": '{"instructions":["docs/*.md", "h.md"]}'}
    elif way == "off":
        name = draw.choice(["", "_PROMPT"])
        case["env"] |= {
            f"OPENCODE_DISABLE_CLAUDE_CODE{name}": draw.choice(["1", "true", "0", "", "no"])
        }
        case["home"] |= {".claude/CLAUDE.md": "of claude\n"}
    else:
        case["env"] |= {"OPENCODE_DISABLE_PROJECT_CONFIG": draw.choice(["1", "true", "0", ""])}


OWN: dict[str, list[Callable[[random.Random, dict[str, Any]], None]]] = {
    "claude": [claude_settings, claude_rules, claude_places],
    "gemini": [gemini_settings, gemini_places],
    "opencode": [opencode_settings, opencode_places],
}
