"""What bash, zsh and fish are told may come next, by the protocol that their scripts speak."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from assembler.cli.main import COMMANDS
from tests.builders.command_line import CommandLine
from tests.builders.documents import DOCS, run_script

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ASSEMBLER_COMPLETE"


def offered(assembler: CommandLine, shell: str, line: str) -> list[tuple[str, str]]:
    """Kind and value of each thing that may come where a line ends."""
    words = shlex.split(line)
    begun = "" if line.endswith(" ") else words[-1]
    number = len(words) - bool(begun)
    variables = {
        VARIABLE: f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": begun if shell == "fish" else str(number),
    }
    result = assembler(**variables)
    assert (result.code, result.talk) == (0, "")
    lines = result.text.splitlines()
    if shell == "zsh":
        return list(zip(lines[::3], lines[1::3], strict=True))
    pairs = [entry.partition("\t")[0].partition(",") for entry in lines]
    return [(kind, value) for kind, _, value in pairs]


def plain(*words: str) -> list[tuple[str, str]]:
    return [("plain", word) for word in words]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("assembler ", plain(*(name for _, name, _ in COMMANDS))),
        ("assembler ch", plain("chain", "check")),
        ("assembler -q ch", plain("chain", "check")),
        ("assembler -f ", plain("text", "json")),
        ("assembler tools ", plain("list", "check", "pin", "approve")),
        ("assembler skills s", plain("show")),
        ("assembler check --format ", plain("text", "json", "github", "markdown", "sarif")),
        ("assembler check -f s", plain("sarif")),
        ("assembler check --fail-on ", plain("error", "warning", "never")),
        ("assembler assemble --api openai-", plain("openai-responses", "openai-chat")),
        ("assembler check --at ", plain("worktree", "index", "HEAD")),
        ("assembler assemble --policy-from ", plain("HEAD")),
        ("assembler assemble --continue ", plain("last")),
        ("assembler chain --agent ", plain("codex")),
        ("assembler check --select ASM701", plain("ASM701")),
        ("assembler check --ignore ASM101,ASM701", plain("ASM101,ASM701")),
        ("assembler check --fo", plain("--format")),
        ("assembler tools --fr", plain("--from")),
        ("assembler tools check --fr", plain("--from")),
        ("assembler tools --from ", [("file", "")]),
        ("assembler schema pro", plain("profile")),
        ("assembler explain ASM701", plain("ASM701")),
        ("assembler explain ", [("file", "")]),
        ("assembler check src/", [("file", "src/")]),
        ("assembler check a b ", [("file", "")]),
        ("assembler check -p ", [("file", "")]),
        ("assembler -C ", [("dir", "")]),
        ("assembler check -C pack", [("dir", "pack")]),
        ("assembler assemble --out ", [("dir", "")]),
        ("assembler assemble -m ", []),
        ("assembler check --nothing x ", [("file", "")]),
    ],
)  # fmt: skip
def test_line__goes_on_with(
    plain_folder: CommandLine, line: str, expected: list[tuple[str, str]]
) -> None:
    for shell in SHELLS:
        assert offered(plain_folder, shell, line) == expected


@pytest.fixture
def plain_folder(tmp_path: Path) -> CommandLine:
    return CommandLine(cwd=tmp_path, home=tmp_path / "home")


def test_every_option__is_offered_with_its_command(plain_folder: CommandLine) -> None:
    import click

    from assembler.cli.main import cli

    context = click.Context(cli)
    for _, name, _ in COMMANDS:
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            continue
        assert command is not None
        spelled = {
            word
            for option in command.params
            if isinstance(option, click.Option)
            for word in option.opts
            if word.startswith("--")
        }
        told = {value for _, value in offered(plain_folder, "bash", f"assembler {name} --")}
        assert spelled | {"--help"} == told


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_word__has_its_line_of_help(plain_folder: CommandLine, shell: str) -> None:
    variables = {
        VARIABLE: f"{shell}_complete",
        "COMP_WORDS": "assembler check --select ASM701",
        "COMP_CWORD": "ASM701" if shell == "fish" else "3",
    }
    text = plain_folder(**variables).text
    assert text == (
        "plain,ASM701\tlock-stale\n" if shell == "fish" else "plain\nASM701\nlock-stale\n"
    )


@pytest.mark.parametrize(
    "variables",
    [
        {VARIABLE: "tcsh_source"},
        {VARIABLE: "bash"},
        {VARIABLE: "bash_run"},
        {VARIABLE: "bash_complete"},
        {VARIABLE: "bash_complete", "COMP_WORDS": "assembler "},
        {VARIABLE: "zsh_complete", "COMP_WORDS": "assembler ", "COMP_CWORD": "-1"},
        {VARIABLE: "bash_complete", "COMP_WORDS": "assembler ", "COMP_CWORD": ""},
    ],
)
def test_instruction__that_is_none_is_a_usage_error(
    plain_folder: CommandLine, variables: dict[str, str]
) -> None:
    result = plain_folder(**variables)
    assert result.code == 2
    assert "(completion-unknown)" in result.talk
    assert result.out == b""


def test_lone_quote__goes_on_in_no_way(plain_folder: CommandLine) -> None:
    for shell in SHELLS:
        words = {"COMP_WORDS": "assembler '", "COMP_CWORD": "'" if shell == "fish" else "1"}
        result = plain_folder(**{VARIABLE: f"{shell}_complete"}, **words)
        assert (result.code, result.talk) == (0, "")


def test_variable__that_is_empty_or_beside_a_plain_call_changes_nothing(
    assembler: CommandLine,
) -> None:
    assert assembler("check", **{VARIABLE: "bash_source"}).text == assembler("check").text
    assert assembler(**{VARIABLE: ""}).code == 2


def in_shell(assembler: CommandLine, shell: tuple[str, ...], lines: list[str]) -> str:
    """What a shell prints, with the program on its path."""
    done = run_script("\n".join(lines), assembler, shell=shell)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def documented(shell: str) -> str:
    """The line of the page that turns completion on."""
    page = (DOCS / "editors-and-shells.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if f"={shell}_source" in line]
    return line


def test_bash__completes_by_the_documented_line(plain_folder: CommandLine) -> None:
    lines = [
        documented("bash"),
        "complete -p assembler",
        "COMP_WORDS=(assembler check --fail-on ''); COMP_CWORD=3; _assembler_completion assembler",
        'printf "%s\\n" "${COMPREPLY[@]}"',
    ]
    told = in_shell(plain_folder, ("bash", "--norc"), lines)
    assert told.splitlines() == [
        "complete -o nosort -F _assembler_completion assembler",
        "error",
        "warning",
        "never",
    ]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish__completes_by_the_documented_line(plain_folder: CommandLine) -> None:
    lines = [documented("fish"), 'complete --do-complete "assembler check --fail-on "']
    told = in_shell(plain_folder, ("fish", "--no-config"), lines)
    assert sorted(told.split()) == ["error", "never", "warning"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh__registers_the_function_by_the_documented_line(plain_folder: CommandLine) -> None:
    lines = [
        "autoload -U compinit; compinit -D -u",
        documented("zsh"),
        'print "$_comps[assembler]"',
        # The function itself, with the builtins that only work while a person types put aside.
        "compadd() { shift 4; print -l -- ${(P)1} }",
        "words=(assembler check --fail-on ''); CURRENT=4; _assembler_completion",
    ]
    told = in_shell(plain_folder, ("zsh", "-f"), lines)
    assert told.split() == ["_assembler_completion", "error", "warning", "never"]
