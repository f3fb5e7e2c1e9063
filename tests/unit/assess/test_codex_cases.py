"""Every recorded tree of Codex that involves no trust entry and no configuration of a project.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assembler.adapters.trees import FolderTree
from assembler.assess.agent_input import HomeText, assess_home, warn_of_combined_size, write_block
from assembler.assess.chain import assess_chain
from assembler.discover.instructions import files_to_read, find_instructions, find_marker_root
from assembler.model.agent import CODEX
from assembler.model.chain import Chain, WalkRules, clean_fallbacks
from assembler.model.tree import Unreadable
from tests.builders.other_user import as_another_user
from tests.builders.trees import case_file, read_entries, write_tree

CASES = Path(__file__).parents[4] / "shared" / "cases" / "codex"
KNOWN_KEYS = {
    "project_doc_max_bytes",
    "project_doc_fallback_filenames",
    "project_root_markers",
    "developer_instructions",
    "features",
}
# Codex warns of a blank file that it cut or did not reach; nothing of it could be lost.
WARNED_FOR_NOTHING = {"limit_blank_free", "limit_exhausted_blank_next"}


class Loaded(NamedTuple):
    sources: list[str]
    text: str | None
    warnings: list[str]


def load_case(name: str) -> dict[str, Any]:
    case: dict[str, Any] = json.loads((CASES / f"{name}.json").read_bytes())
    return case


def out_of_scope(case: dict[str, Any]) -> str | None:
    if case["expected"]["rc"]:
        return "the configuration is refused"
    if "etc" in case and "config.toml" in case["etc"]:
        return "a system configuration"
    # Without a trust entry a project's own configuration is not read.
    settings = (case["config"] or "") + " ".join(case.get("args", ()))
    return "a trust entry" if "trust_level" in settings else None


def names() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.json")) or ["missing"]


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that another user may enter, unlike pytest's own."""
    folder = Path(os.path.realpath(tempfile.mkdtemp()))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", names())
def test_faithful_chain__is_what_codex_loads(name: str, base: Path) -> None:
    if not CASES.is_dir():
        pytest.skip("the recorded trees are not here (../shared/cases/codex)")
    case = load_case(name)
    reason = out_of_scope(case)
    if reason is not None:
        pytest.skip(reason)
    root, home = base / "t", base / "h"

    def replace(text: str) -> str:
        return text.replace("{ROOT}", str(root)).replace("{HOME}", str(home))

    build_case(case, root, home, replace)
    expected = case["expected"]

    got = as_user(case, lambda: load(case, root, home, replace))

    assert got.sources == [replace(path) for path in expected["sources"]]
    assert got.text == (None if expected["text"] is None else replace(expected["text"]))
    if name not in WARNED_FOR_NOTHING:
        warnings = [replace(text) for text in expected["warnings"] if "budget" in text]
        warnings += [text for text in expected["warnings"] if text.startswith("Combined")]
        assert got.warnings == warnings
    lost_global = [text for text in expected["warnings"] if "read global" in text]
    assert len(lost_global) == (name in {"global_link_loop", "global_unreadable"})


def build_case(case: dict[str, Any], root: Path, home: Path, replace: Any) -> None:
    for folder in (root, home, home / ".codex"):
        folder.mkdir()
    git = case["git"] or {}
    # Codex looks at the name .git alone, so that no real repository is needed.
    for folder in git.get("init", ()):
        (root / folder / ".git/hooks").mkdir(parents=True)
    if "worktree" in git:
        (root / git["worktree"]["path"]).mkdir(parents=True, exist_ok=True)
        (root / git["worktree"]["path"] / ".git").write_text("gitdir: elsewhere\n")
    for place, files in ((root, case["files"]), (home, case["home"])):
        write_tree(place, {path: case_file(spec, replace) for path, spec in files.items()})
        for path, spec in files.items():
            if isinstance(spec, dict) and "mode" in spec:
                (place / path).chmod(int(spec["mode"], 8))
    if not (root / case["cwd"]).exists():
        (root / case["cwd"]).mkdir(parents=True)


def load(case: dict[str, Any], root: Path, home: Path, replace: Any) -> Loaded:
    rules = rules_of(case, replace)
    cwd = os.path.realpath(root / case["cwd"])
    tree = FolderTree(Path("/"))
    start = cwd.removeprefix("/")
    top = find_marker_root(tree, start, rules.markers)
    search = find_instructions(tree, [start], rules=rules, top=start if top is None else top)
    contents = read_entries(tree, files_to_read(search, rules))
    chain = assess_chain(search, contents, rules)
    codex_home = Path(replace(case.get("env", {}).get("CODEX_HOME", str(home / ".codex"))))
    shared = assess_home(
        [(str(codex_home / name), read_global(codex_home / name)) for name in rules.names[:2]]
    )
    sources = [row.path for row in shared.rows if row.state == "in"]
    sources += [f"/{path}" for path in chain.texts]
    return Loaded(
        sources, write_block(shared.text, chain, cwd, CODEX.framing), warnings_of(chain, shared)
    )


def rules_of(case: dict[str, Any], replace: Any) -> WalkRules:
    options = iter(case.get("args", ()))
    settings = tomllib.loads(replace(case["config"] or ""))
    for option in options:
        assert option == "-c"
        settings |= tomllib.loads(replace(next(options)))
    assert settings.keys() <= KNOWN_KEYS
    rules = CODEX.walk._replace(
        fallbacks=clean_fallbacks(settings.get("project_doc_fallback_filenames", ())),
        markers=tuple(settings.get("project_root_markers", CODEX.walk.markers)),
    )
    return rules._replace(limit_bytes=settings.get("project_doc_max_bytes", rules.limit_bytes))


def read_global(path: Path) -> bytes | Unreadable:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return Unreadable("missing")
    except IsADirectoryError:
        return Unreadable("not-a-file")
    except OSError as error:
        return Unreadable(errno.errorcode[error.errno or 0])


def warnings_of(chain: Chain, shared: HomeText) -> list[str]:
    """Codex's warnings, written from nothing but the rows and findings."""
    tail = (
        " Trim your project instructions to fit the budget. If you need to keep them all, "
        "increase `project_doc_max_bytes`."
    )
    limit = chain.limit_bytes
    found = [
        f"Loaded only {row.cut.byte} of {row.size_bytes} bytes from `/{row.path}` in environment "
        f"`local` under the {limit}-byte project instruction budget.{tail}"
        for row in chain.rows
        if row.cut is not None
    ]
    lost = [finding for finding in chain.findings if finding.code == "ASM102"]
    if lost:
        found.append(
            f"Skipped project instructions in environment `local` starting at `/{lost[0].path}` "
            f"because the {limit}-byte budget was exhausted.{tail}"
        )
    combined = warn_of_combined_size(shared.text, chain, CODEX.framing)
    if combined is not None:
        found.append(
            f"Combined user instructions use {combined.data['size_bytes']} bytes, above the "
            f"{limit}-byte `project_doc_max_bytes` setting. The total includes global and thread "
            "instructions. The limit applies only to project files."
        )
    return found


def as_user(case: dict[str, Any], call: Any) -> Loaded:
    """Run as nobody where the case asks for it; root may read everything."""
    loaded: Loaded = as_another_user(call) if case.get("run_as") == "nobody" else call()
    return loaded
