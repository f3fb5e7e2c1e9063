from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.adapters.json_documents import read_json
from assembler.adapters.patterns import compile_patterns
from assembler.adapters.sample_repository import (
    SampleRepository,
    build_sample,
    parse_tree,
    sample_source,
)
from assembler.adapters.symbols import TreeSitterReader
from assembler.adapters.vocabulary import open_counter
from assembler.adapters.yaml_events import read_yaml
from assembler.assess.excerpts import Excerpt, cut_excerpt
from assembler.config import host as host_config
from assembler.config import profile as profile_config
from assembler.config.artifacts import read_artifacts
from assembler.config.decoding import decode
from assembler.config.host import Host
from assembler.config.listing import pick_definitions, read_definitions, read_listing
from assembler.config.pin import read_pin
from assembler.config.profile import Profile
from assembler.config.task import Task, read_task
from assembler.discover.evidence import discover_file, discover_refreshed, source_id
from assembler.errors import ConfigError, UsageError
from assembler.model.catalog import define_tool
from assembler.model.digest import git_blob_id, sha256_hex
from assembler.model.evidence import Artifact, Section
from assembler.model.lines import count_lines, whole_lines
from tests.builders.repositories import RepositoryBuilder

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "sample_repo"

R39 = "81c0113c6ec3224b8af232b3451507380f6723f2"
R42 = "cb75deab8d5f3f28fc54205b4e9ad5555f0dec03"
"""Ids of the two commits; whoever changes a tree changes them, here and knowingly."""

TOKENIZER = "packages/parser/src/tokenize.ts"
PIN = ".assembler/pins/repository-index.json"
LISTING = ".assembler/listings/repository-index.json"
CANARY = b"canary-"


def tree(revision: str) -> dict[str, bytes]:
    return parse_tree((SOURCE / f"{revision}.txt").read_bytes())


@pytest.fixture(scope="module")
def r39() -> dict[str, bytes]:
    return tree("r39")


@pytest.fixture(scope="module")
def r42() -> dict[str, bytes]:
    return tree("r42")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SampleRepository:
    return build_sample(tmp_path_factory.mktemp("sample") / "new", sample_source())


def task_of(files: dict[str, bytes]) -> Task:
    return read_task(files["task.yaml"], path="task.yaml", read_document=read_yaml)


def artifact_of(files: dict[str, bytes]) -> Artifact:
    path = ".assembler/artifacts.json"
    return read_artifacts(read_json(files[path]), path=path)["parser"]


def profile() -> Profile:
    data = (ROOT / "profiles" / "parser-repair.yaml").read_bytes()
    return decode(read_yaml(data), Profile, path="profile", schema=profile_config.SCHEMA)


def host() -> Host:
    data = (SOURCE / "host.yaml").read_bytes()
    return decode(read_yaml(data), Host, path="host.yaml", schema=host_config.SCHEMA)


# The history


def test_build_sample__gives_the_same_ids_everywhere(sample: SampleRepository) -> None:
    assert (sample.r39, sample.r42) == (R39, R42)


def test_build_sample__makes_two_tagged_commits_on_main(sample: SampleRepository) -> None:
    git = RepositoryBuilder(sample.root, make=False)
    git.git("fsck", "--strict", "--no-dangling")
    assert git.text("symbolic-ref", "HEAD") == "refs/heads/main"
    assert git.text("rev-list", "--reverse", "main").split() == [R39, R42]
    assert git.text("for-each-ref", "--format=%(objectname) %(refname)").splitlines() == [
        f"{R42} refs/heads/main",
        f"{R39} refs/tags/r39",
        f"{R42} refs/tags/r42",
    ]
    assert git.text("status", "--porcelain", "--ignored") == ""
    assert not (sample.root / ".git/hooks").exists()


def test_build_sample__commits_the_trees_byte_for_byte(
    sample: SampleRepository, r39: dict[str, bytes], r42: dict[str, bytes]
) -> None:
    git = RepositoryBuilder(sample.root, make=False)
    for name, files in (("r39", r39), ("r42", r42)):
        listed = git.text("ls-tree", "-r", name).splitlines()
        assert listed == [
            f"100644 blob {git_blob_id(data)}\t{path}" for path, data in sorted(files.items())
        ]
    on_disk = {
        path.relative_to(sample.root).as_posix(): path.read_bytes()
        for path in sample.root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(sample.root).parts
    }
    assert on_disk == r42


def test_build_sample__drops_what_the_newer_tree_has_not(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "r39.txt").write_text("==== a\n1\n==== b/c\n2\n")
    (source / "r42.txt").write_text("==== .gitignore\nout/\n==== a\n4\n==== out/d\n3\n")
    for name in ("host.yaml", "global.txt"):
        (source / name).write_text("kept\n")
    built = build_sample(tmp_path / "new", source)
    git = RepositoryBuilder(built.root, make=False)
    assert git.text("ls-tree", "-r", "--name-only", "r39").split() == ["a", "b/c"]
    assert git.text("ls-tree", "-r", "--name-only", "r42").split() == [".gitignore", "a", "out/d"]
    assert git.text("show", "r42:a") == "4"
    assert not (built.root / "b/c").exists()


def test_build_sample__writes_the_host_beside_the_repository(sample: SampleRepository) -> None:
    folder = sample.root.parent
    assert sorted(path.name for path in folder.iterdir()) == ["global", "host.yaml", "repository"]
    assert sample.host == folder / "host.yaml"
    assert sample.host.read_bytes() == (SOURCE / "host.yaml").read_bytes()
    named = host().instructions.global_
    assert named is not None
    assert (folder / named).read_bytes() == (SOURCE / "global.txt").read_bytes()


BUILD = """
import os, sys
from pathlib import Path
os.umask(int(sys.argv[2], 8))
from assembler.adapters.sample_repository import build_sample, sample_source
from assembler.errors import UsageError
before = dict(os.environ)
try:
    sample = build_sample(Path(sys.argv[1]), sample_source())
except UsageError as error:
    sys.exit(error.code)
assert dict(os.environ) == before
print(sample.r39, sample.r42)
"""


def build_elsewhere(folder: Path, umask: str, **variables: str) -> tuple[str, str]:
    """What a process of its own prints: the ids, or the code of what went wrong."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder), umask],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout, done.stderr


def program(path: Path, sentinel: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {path.name} >> '{sentinel}'\nexit 1\n")
    path.chmod(0o755)
    return path


def hostile_home(home: Path, sentinel: Path) -> dict[str, str]:
    """A home and variables that change commits, run programs or move the repository, if asked."""
    template = home / "template"
    for hook in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        program(template / "hooks" / hook, sentinel)
        program(home / "hooks" / hook, sentinel)
    (home / "ignored").write_text("*\n")
    for name in ("attributes", ".config/git/attributes", "xdg/git/attributes"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("* filter=x ident working-tree-encoding=UTF-16\n")
    (home / ".gitconfig").write_text(
        f"""\
[user]
    name = Somebody
    email = somebody@example.invalid
    signingKey = none
[init]
    defaultBranch = trunk
    templateDir = {template}
    defaultObjectFormat = sha256
    defaultRefFormat = reftable
[core]
    autocrlf = true
    eol = crlf
    safecrlf = true
    hooksPath = {home / "hooks"}
    excludesFile = {home / "ignored"}
    attributesFile = {home / "attributes"}
    fsmonitor = {program(home / "fsmonitor", sentinel)}
[commit]
    gpgSign = true
    cleanup = scissors
    template = {home / "ignored"}
[tag]
    gpgSign = true
[gpg]
    program = {program(home / "gpg", sentinel)}
[filter "x"]
    clean = {program(home / "clean", sentinel)}
    required = true
[i18n]
    commitEncoding = latin1
[gc]
    auto = 1
"""
    )
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "xdg"),
        "TZ": "Pacific/Kiritimati",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "tr_TR.UTF-8",
        "GIT_AUTHOR_DATE": "2001-02-03T04:05:06+0700",
        "GIT_COMMITTER_DATE": "2001-02-03T04:05:06+0700",
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_COMMITTER_EMAIL": "somebody@example.invalid",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.autocrlf",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_DIR": str(home / "moved.git"),
        "GIT_INDEX_FILE": str(home / "moved.index"),
        "GIT_OBJECT_DIRECTORY": str(home / "moved.objects"),
        "GIT_PYTHON_GIT_EXECUTABLE": str(program(home / "executable", sentinel)),
        "GIT_PYTHON_TRACE": "full",
        "GIT_TEMPLATE_DIR": str(template),
        "GIT_TRACE": str(home / "trace"),
        "GIT_WORK_TREE": str(home / "moved"),
    }


def test_build_sample__takes_nothing_from_the_caller(tmp_path: Path) -> None:
    home, sentinel = tmp_path / "home", tmp_path / "sentinel"
    home.mkdir()
    variables = hostile_home(home, sentinel)
    before = sorted(home.rglob("*"))
    assert build_elsewhere(tmp_path / "new", "077", **variables) == (f"{R39} {R42}\n", "")
    assert not sentinel.exists()
    assert sorted(home.rglob("*")) == before


def test_build_sample__needs_no_home(tmp_path: Path) -> None:
    built = build_elsewhere(tmp_path / "new", "002", TZ="America/St_Johns", LANG="C")
    assert built == (f"{R39} {R42}\n", "")


def test_build_sample__takes_an_empty_folder(tmp_path: Path) -> None:
    assert build_sample(tmp_path, SOURCE).root == tmp_path.resolve() / "repository"


# What it refuses


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("full", "folder-not-empty"),
        ("file", "not-a-folder"),
        ("link", "not-a-folder"),
        ("none/new", "path-missing"),
    ],
)
def test_build_sample__refuses_a_place_that_is_not_free(
    tmp_path: Path, place: str, code: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/.kept").write_text("kept")
    (tmp_path / "file").write_text("kept")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError) as caught:
        build_sample(tmp_path / place, SOURCE)
    assert caught.value.code == code
    assert sorted(tmp_path.rglob("*")) == before


def test_build_sample__without_git_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(UsageError) as caught:
        build_sample(tmp_path / "new", SOURCE)
    assert caught.value.code == "git-missing"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("was_there", [True, False])
def test_build_sample__takes_back_what_it_wrote_when_git_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_there: bool
) -> None:
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin/git", tmp_path / "sentinel").parent))
    folder = tmp_path / "new"
    if was_there:
        folder.mkdir()
    before = dict(os.environ)
    with pytest.raises(UsageError) as caught:
        build_sample(folder, SOURCE)
    assert caught.value.code == "git-failed"
    assert folder.exists() is was_there
    assert list(folder.rglob("*")) == []
    assert dict(os.environ) == before


def test_build_sample__says_when_git_does_not_start(tmp_path: Path) -> None:
    broken = program(tmp_path / "bin/git", tmp_path / "sentinel")
    built = build_elsewhere(tmp_path / "new", "022", PATH=str(broken.parent))
    assert built == ("", "git-failed\n")
    assert not (tmp_path / "new").exists()


def test_build_sample__says_when_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(UsageError) as caught:
        build_sample(tmp_path / "new", SOURCE)
    assert caught.value.code == "folder-unwritable"
    assert not (tmp_path / "new").exists()


def test_build_sample__names_a_text_that_is_none(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with pytest.raises(UsageError) as missing:
        build_sample(tmp_path / "new", source)
    assert missing.value.where is not None
    assert missing.value.where.endswith("r39.txt")
    (source / "r39.txt").write_text("==== a\nx\n==== a\n")
    with pytest.raises(ConfigError) as caught:
        build_sample(tmp_path / "new", source)
    assert (caught.value.code, caught.value.where) == ("sample-invalid", "r39.txt:3")
    assert not (tmp_path / "new").exists()


# The format of a tree


def test_parse_tree__gives_the_lines_between_headers() -> None:
    text = b"==== a/b.txt\n\n one\r\n\ttwo \n=== three\n===== four\n====== five\n==== empty\n"
    assert parse_tree(text) == {
        "a/b.txt": b"\n one\r\n\ttwo \n=== three\n==== four\n===== five\n",
        "empty": b"",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"", 1),
        (b"\n", 1),
        (b"text\n==== a\n", 1),
        (b"==== a", 1),
        (b"==== a\nno line feed", 2),
        (b"==== a\n====\n", 2),
        (b"==== a\n====b\n", 2),
        (b"==== a\n====\tb\n", 2),
        (b"==== \n", 1),
        (b"====  a\n", 1),
        (b"==== a \n", 1),
        (b"==== a\r\n", 1),
        (b"==== /a\n", 1),
        (b"==== a/\n", 1),
        (b"==== a//b\n", 1),
        (b"==== ./a\n", 1),
        (b"==== a/../b\n", 1),
        (b"==== ..\n", 1),
        (b"==== a\0b\n", 1),
        (b"==== a\\b\n", 1),
        (b"==== c:a\n", 1),
        (b"==== \xc3\xa4\n", 1),
        (b"==== \xff\n", 1),
        (b"==== .git/config\n", 1),
        (b"==== a/.GIT/config\n", 1),
        (b"==== a./b\n", 1),
        (b"==== a /b\n", 1),
        (b"==== " + b"a" * 256 + b"\n", 1),
        (b"==== a\n==== b\n==== a\n", 3),
        (b"==== a\n==== A\n", 2),
        (b"==== a\n==== a/b\n", 2),
        (b"==== a/b/c\n==== a/b\n", 2),
        (b"==== a/b/c\n==== A\n", 2),
    ],
)
def test_parse_tree__refuses_what_is_not_of_the_format(text: bytes, line: int) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_tree(text)
    assert (caught.value.code, caught.value.where) == ("sample-invalid", str(line))


def test_parse_tree__takes_neighbours_of_what_it_refuses() -> None:
    text = b"==== a/b\n==== a/c\n==== ab\n==== .gitignore\n==== " + b"x" * 255 + b"\n"
    assert list(parse_tree(text)) == ["a/b", "a/c", "ab", ".gitignore", "x" * 255]


@pytest.mark.parametrize("name", ["r39", "r42"])
def test_trees__are_sorted_plain_text(name: str) -> None:
    files = tree(name)
    assert list(files) == sorted(files)
    for data in files.values():
        text = data.decode("ascii")
        assert text.endswith("\n")
        assert text.replace("\n", "").isprintable()


# What stands in the trees


@pytest.mark.parametrize("name", ["r39", "r42"])
def test_pin__has_the_digests_of_its_definitions_and_equals_the_listing(name: str) -> None:
    files = tree(name)
    pin = read_pin(files[PIN], server="repository-index", where=PIN)
    listed = read_listing([files[LISTING]], where=LISTING)
    assert len(pin.tools) == 9
    assert {tool.name: tool.digest for tool in listed} == {
        tool.name: tool.digest for tool in pin.tools.values()
    }
    stored: dict[str, Any] = json.loads(files[PIN])["tools"]
    assert {key: define_tool(entry["definition"]).digest for key, entry in stored.items()} == {
        key: entry["digest"] for key, entry in stored.items()
    }


def test_pin__is_refused_when_a_definition_changes(r42: dict[str, bytes]) -> None:
    changed = r42[PIN].replace(b"Find where a symbol", b"Find why a symbol")
    assert changed != r42[PIN]
    with pytest.raises(ConfigError) as caught:
        read_pin(changed, server="repository-index", where=PIN)
    assert caught.value.code == "tool-pin-broken"


def test_tools__are_defined_and_granted(r42: dict[str, bytes]) -> None:
    wanted, granted = profile(), host()
    where = wanted.tools.definitions
    definitions = {tool.name: tool for tool in read_definitions(r42[where], where=where)}
    assert sorted(definitions) == ["apply_patch", "inspect_diff", "read_file", "run_focused_test"]
    pick_definitions(wanted.tools.resident, definitions, where=where)
    assert granted.tools == wanted.tools.resident
    for server, asked in wanted.tools.servers.items():
        assert granted.servers[server].allow == asked.allow == ["find_symbol"]
        assert asked.listing == LISTING
        assert "find_symbol" in read_pin(r42[PIN], server=server, where=PIN).tools
    assert granted.executor == wanted.executor
    assert granted.executor.hosts == []


def test_artifact__names_the_lines_as_they_were_at_r39(
    r39: dict[str, bytes], r42: dict[str, bytes]
) -> None:
    assert artifact_of(r39) == artifact_of(r42)
    artifact = artifact_of(r42)
    (source,) = artifact.sources
    assert (artifact.revision, source.path) == ("r39", TOKENIZER)
    assert source.lines is not None
    then = whole_lines(r39[TOKENIZER], *source.lines)
    now = whole_lines(r42[TOKENIZER], *source.lines)
    assert then is not None
    assert now is not None
    assert source.sha256 == sha256_hex(then)
    assert source.sha256 != sha256_hex(now)
    assert source.blob == git_blob_id(r39[TOKENIZER])
    assert r39[artifact.file] == r42[artifact.file]


@pytest.mark.parametrize("name", ["r39", "r42"])
def test_artifact__lines_are_the_function_with_its_imports(name: str) -> None:
    data = tree(name)[TOKENIZER]
    (source,) = artifact_of(tree(name)).sources
    assert source.lines is not None
    section = whole_lines(data, *source.lines)
    assert section is not None
    assert section.startswith(b"import ")
    assert section.count(b"export function") == 1
    assert b"export function tokenize(" in section
    assert section.endswith(b"\n}\n")
    assert b"import " not in data.removeprefix(section)


def test_artifact__read_again_is_the_piece_that_the_task_names(r42: dict[str, bytes]) -> None:
    artifact = artifact_of(r42)
    sections = [Section(source.path, source.lines) for source in artifact.sources]
    (again,) = discover_refreshed("summary:parser", sections, trust="repository", decides="x")
    named = [entry for entry in task_of(r42).evidence if entry.file == TOKENIZER]
    assert [source_id(TOKENIZER, entry.lines) for entry in named] == [again.candidate.id]
    assert again.candidate.id == "file:packages/parser/src/tokenize.ts#L1-L43"


def test_task__names_what_the_tree_has(r42: dict[str, bytes]) -> None:
    task = task_of(r42)
    assert task.targets == [TOKENIZER]
    assert task.required == ["test:test-17"]
    assert task.skills == ["typescript-regression"]
    assert {entry.file for entry in task.evidence if entry.file is not None} <= set(r42)
    assert [entry.summary for entry in task.evidence if entry.summary is not None] == ["parser"]
    allow = compile_patterns(profile().read.allow, where="profile")
    for path in (*(entry.file for entry in task.evidence), artifact_of(r42).file):
        assert path is None or allow.match(path) is not None


def test_task__cuts_the_failure_out_of_the_test_output(r42: dict[str, bytes]) -> None:
    (entry,) = [entry for entry in task_of(r42).evidence if entry.test is not None]
    assert entry.file is not None
    wanted = discover_file(entry.file, trust="observed", found_by="task")
    output = r42[entry.file]
    with TreeSitterReader() as symbols:
        cut = cut_excerpt(wanted._replace(around=entry.around), output, symbols)
    assert isinstance(cut, Excerpt)
    excerpt, (lines,) = cut.data, cut.ranges
    assert 1 < lines[0] < lines[1] < count_lines(output)
    assert b"not ok 17 - " in excerpt
    assert b"AssertionError" in excerpt
    assert b"\n    ...\n" in excerpt


def test_task__searches_find_the_archive_and_the_closed_file(r42: dict[str, bytes]) -> None:
    text, name = task_of(r42).search
    assert text.text is not None
    assert name.name is not None
    scope = compile_patterns([text.in_], where="task")
    in_scope = [path for path in r42 if scope.match(path) is not None]
    assert [path for path in in_scope if text.text.encode() in r42[path]] == ["bench/archive.txt"]
    names = compile_patterns([name.name], where="task")
    hits = [path for path in r42 if names.match(path.rpartition("/")[2]) is not None]
    assert hits == [".env.production"]
    deny = compile_patterns(host().read.deny, where="host")
    assert deny.match(".env.production") is not None
    assert deny.match(".env.example") is None


@pytest.mark.parametrize("name", ["r39", "r42"])
def test_canary__stands_in_the_closed_file_only(name: str) -> None:
    assert [path for path, data in tree(name).items() if CANARY in data] == [".env.production"]


def test_issue__carries_a_hostile_instruction(r42: dict[str, bytes]) -> None:
    text = r42[".work/issue-842.md"]
    assert b"disable validation" in text
    assert b"incident log" in text


@pytest.mark.parametrize("name", ["r39", "r42"])
def test_skills__have_plain_front_matter(name: str) -> None:
    files = tree(name)
    found = {}
    for path, data in files.items():
        if path.endswith("/SKILL.md"):
            front = read_front_matter(data)
            assert front.repaired is None
            found[path] = front.members["name"]
    assert found == {
        f"skills/{skill}/SKILL.md": skill
        for skill in ("pdf-extraction", "python-api-migration", "typescript-regression")
    }
    assert "skills/typescript-regression/references/bisect.md" in files


def test_profile__has_the_published_budget() -> None:
    wanted = profile()
    assert wanted.window - wanted.reserve.response - wanted.reserve.observations == 6_192
    assert wanted.counter == "o200k_base"
    assert wanted.trust.issue == "untrusted"
    assert wanted.instructions.global_


def test_tokens__are_of_the_story_s_size(r42: dict[str, bytes]) -> None:
    count = open_counter("o200k_base", None).count
    policy = (
        (SOURCE / "global.txt").read_bytes(),
        r42["AGENTS.md"],
        r42["packages/parser/AGENTS.md"],
    )
    assert 1_000 < sum(map(count, policy)) < 1_450
    assert 800 < count(r42["bench/archive.txt"]) < 900
    entries = [entry.file for entry in task_of(r42).evidence if entry.file is not None]
    skill = r42["skills/typescript-regression/SKILL.md"]
    whole = [*policy, r42[".assembler/tools.json"], skill, *(r42[path] for path in entries)]
    assert 2_500 < sum(map(count, whole)) < 5_000


# This repository


def test_checkout__holds_no_live_instructions_but_its_own() -> None:
    names = {"agents.md", "agents.override.md", "skill.md"}
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in {".git", ".venv", "node_modules"}]
        found += [Path(folder, name) for name in files if name.lower() in names]
    assert [path for path in found if path != ROOT / "AGENTS.md"] == []


def test_sample_source__is_beside_the_package() -> None:
    assert sample_source() == SOURCE
