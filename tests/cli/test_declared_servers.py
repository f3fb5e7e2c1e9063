"""Servers that a repository declares: never started, each a row, and never a refusal."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assembler.discover.servers import DECLARATION_FILES
from assembler_verifier import verify_package
from tests.builders.bug_cases import build
from tests.builders.command_line import CommandLine, all_bytes_below
from tests.builders.repositories import RepositoryBuilder

SECRET = "s3cr3t-of-a-declaration"
LAUNCH = {"command": "sh", "args": ["-c", "touch spawned.txt", SECRET], "env": {"TOKEN": SECRET}}


def declare(**servers: Any) -> str:
    return json.dumps({"mcpServers": servers})


def rows_of(assembler: CommandLine, *arguments: str, cwd: Path | None = None) -> dict[str, Any]:
    """The rows of declared servers, by id."""
    result = assembler("assemble", "-m", "x", "-f", "json", *arguments, cwd=cwd)
    assert result.code == 0, result.talk
    assert SECRET not in result.text + result.talk
    rows = [row for row in result.json["ledger"] if row["kind"] == "tool-server"]
    assert all((row["section"], row["trust"]) == ("tools", "untrusted") for row in rows)
    return {row["id"]: row for row in rows}


def told(rows: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {name: (row["code"], (row["detail"] or {}).get("where")) for name, row in rows.items()}


def write_host(place: Path, **servers: Any) -> str:
    path = place / "host.yaml"
    document = {"schema": "assembler/host/1", "servers": {n: {"allow": [], **s}
                for n, s in servers.items()}}  # fmt: skip
    path.write_text(json.dumps(document))
    return str(path)


def test_058__a_declared_server_is_not_started_and_is_a_row(tmp_path: Path) -> None:
    built = build("058", tmp_path)

    result = built.run("assemble", "-m", "do it", "-f", "json")

    assert result.code == built.expected["exit"]
    assert not any((built.top / path).exists() for path in built.expected["files_absent_after"])
    rows = {row["id"]: row for row in result.json["ledger"]}
    row = rows["server:.mcp.json#evil"]
    assert (row["state"], row["code"]) == ("out", "server-not-allowed")
    assert row["discovered_by"] == "declared in .mcp.json"
    assert "touch" not in result.text
    shown = built.run("assemble", "-m", "do it").text
    assert "server-not-allowed: .mcp.json" in shown
    assert "touch" not in shown
    assert "server-not-allowed" in built.run("log", "1").text
    assert (
        "server-not-allowed: .mcp.json"
        in built.run("explain", "--run", "1", "server:.mcp.json#evil").text
    )


@pytest.mark.parametrize("name", sorted(DECLARATION_FILES))
def test_file__is_looked_for_from_the_root_down_to_the_working_directory(
    name: str, assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    keys = DECLARATION_FILES[name][0].keys
    document: Any = {"x": LAUNCH}
    for key in reversed(keys):
        document = {key: document}
    text = json.dumps(document)
    if name.endswith(".toml"):
        text = "[mcp_servers.x]\ncommand = 'sh'\nargs = ['-c', '" + SECRET + "']\n"
    folders = ("", "src/", "src/deep/", "docs/")
    repository.write({f"{folder}{name}": text for folder in folders})
    repository.write({"src/deep/y.py": "y = 1\n"})

    rows = rows_of(assembler, cwd=repository.root / "src" / "deep")

    assert told(rows) == {
        f"server:{folder}{name}#x": ("server-not-allowed", f"{folder}{name}")
        for folder in ("", "src/", "src/deep/")
    }
    assert all(row["version"].startswith("sha256:") for row in rows.values())


def test_tree__that_is_read_is_the_one_of_the_run(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".mcp.json": declare(committed=LAUNCH)})
    main = repository.commit()
    repository.write({".mcp.json": declare(staged=LAUNCH)})
    repository.git("add", "-A")
    repository.write({".mcp.json": declare(present=LAUNCH)})

    for at, name in (("HEAD", "committed"), ("index", "staged"), ("worktree", "present")):
        assert list(rows_of(assembler, "--at", at)) == [f"server:.mcp.json#{name}"]

    result = assembler("assemble", "-m", "x", "-f", "json", "--policy-from", main)
    rows = {row["id"]: row for row in result.json["ledger"]}
    assert "server:.mcp.json#committed" in rows
    assert "server:.mcp.json#present" not in rows
    assert rows["differs:.mcp.json"]["code"] == "policy-differs"


def test_declaration__that_a_branch_adds_is_told_beside_the_policy(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    main = repository.text("rev-parse", "HEAD")
    repository.write({"src/.cursor/mcp.json": declare(x=LAUNCH)})

    result = assembler(
        "assemble", "-m", "x", "-f", "json", "--policy-from", main, cwd=repository.root / "src"
    )

    rows = {row["id"]: row for row in result.json["ledger"]}
    assert rows["differs:src/.cursor/mcp.json"]["version"].startswith("added")


def test_host__knows_a_server_only_with_exactly_its_launch(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write(
        {
            ".mcp.json": declare(
                same={"type": "stdio", "command": "index", "args": ["--stdio"]},
                other={"command": "index", "args": ["--stdio", "--all"]},
                folder={"command": "index", "args": ["--stdio"], "cwd": "evil"},
                value={"command": "index", "args": ["--stdio"], "env": {"LD_PRELOAD": "./x.so"}},
                listed={"command": "index"},
                unknown={"command": "index", "args": ["--stdio"]},
            )
        }
    )
    known = {"command": ["index", "--stdio"]}
    host = write_host(
        tmp_path, same=known, other=known, folder=known, value=known, listed={"command": []}
    )

    assert told(rows_of(assembler, "--host", host)) == {
        f"server:.mcp.json#{name}": (code, ".mcp.json")
        for name, code in {
            "folder": "server-launch-differs",
            "listed": "server-launch-differs",
            "other": "server-launch-differs",
            "unknown": "server-not-allowed",
            "value": "server-launch-differs",
        }.items()
    }


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"", None),
        (b" \n", None),
        (b"{}", None),
        (b'\xef\xbb\xbf{"mcpServers": {"x": {"command": "sh"}}}', "#x"),
        (b'{"mcpServers": {"x": {"command": "sh"}, }, } // end', "#x"),
        (b'{\n "mcpServers": {"x": {}, "x": {}}}', ": a key stands twice in one object"),
        (b'{\n "mcpServers": {1}\n', ":2: not JSON"),
        (b"\n\n\xff", ":3: not UTF-8"),
        ("{}".encode("utf-16"), ":1: not UTF-8"),
        (b"[" * 100_000, ": deeper than 64 levels"),
        (b'{"mcpServers": []}', ": mcpServers is no object"),
        (b"[]", ": holds no object"),
        (b'{"a": NaN}', ": NaN or Infinity"),
        (b'{"mcpServers": {"\\ud800": {}}}', ": a lone surrogate"),
        (b"/*" * 500_000, ":1: not JSON"),
        (b"/* " * 300_000, ":1: not JSON"),
        (b", " * 500_000, ":1: not JSON"),
        (b"[," * 30 + b" " * 90_000, ":1: not JSON"),
        (b'"' + b"\\" * 1_000_000, ":1: not JSON"),
        (b" " * (1 << 20) + b"{}", ": not read: size-limit"),
        (b"{" + b'"a":0,' * 200_000 + b'"b":0}', ": not read: size-limit"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_text__that_is_no_declaration_is_one_row_and_the_run_goes_on(
    data: bytes, where: str | None, assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".mcp.json": data})

    rows = told(rows_of(assembler))

    if where is None:
        assert rows == {}
    elif where.startswith("#"):
        assert rows == {f"server:.mcp.json{where}": ("server-not-allowed", ".mcp.json")}
    else:
        assert rows == {
            "server:.mcp.json": ("server-declaration-invalid", f".mcp.json{where}")
        }  # fmt: skip


def test_configuration__in_toml_is_read_as_its_agent_reads_it(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".codex/config.toml": 'model = "m"\n[mcp_servers."a.b"]\nurl = "http://x"\n'})
    assert list(rows_of(assembler)) == ["server:.codex/config.toml#a.b"]

    repository.write({".codex/config.toml": "a = 1\na = 2\n"})
    assert told(rows_of(assembler)) == {
        "server:.codex/config.toml": (
            "server-declaration-invalid",
            ".codex/config.toml:2: a key stands there twice",
        )
    }

    repository.write({".codex/config.toml": "a" + ".a" * 50_000 + " = 1"})
    assert rows_of(assembler) == {}


def test_names__of_any_kind_are_shown_escaped_and_keep_the_record_whole(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    names = ["", "a\nb", "\x1b[31mred", "\0", "x" * 5_000, "\u202eevil", "😀", "#", "a#b", "//more"]
    repository.write({".mcp.json": declare(**dict.fromkeys(names, LAUNCH))})

    assert len(rows_of(assembler, "--out", str(tmp_path / "package"))) == len(names)

    shown = assembler("assemble", "-m", "x").text + assembler("log", "1").text
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert verify_package(tmp_path / "package").failed == []
    assert SECRET.encode() not in all_bytes_below(tmp_path / "package", tmp_path / "home")


def test_servers__beyond_the_bound_share_a_row(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".mcp.json": declare(**{f"s{number}": {} for number in range(30_000)})})

    rows = rows_of(assembler)

    assert len(rows) == 201
    assert told(rows)["server://more"] == ("server-not-allowed", "29,800 more")


def test_folder__that_spells_another_row_has_a_row_of_its_own(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(
        {".mcp.json": declare(**{"d/.mcp.json": LAUNCH}), ".mcp.json#d/.mcp.json": "no"}
    )

    rows = rows_of(assembler, cwd=repository.root / ".mcp.json#d")

    assert sorted(row["code"] for row in rows.values()) == [
        "server-declaration-invalid",
        "server-not-allowed",
    ]


def test_file__that_a_rule_keeps_closed_is_denied(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({".mcp.json": declare(x=LAUNCH)})
    (tmp_path / "host.yaml").write_text("schema: assembler/host/1\nread: {deny: [.mcp.json]}\n")

    rows = rows_of(assembler, "--host", str(tmp_path / "host.yaml"))

    assert list(rows) == ["server:.mcp.json"]
    assert rows["server:.mcp.json"]["state"] == "denied"
    assert rows["server:.mcp.json"]["detail"] == {"rule": "host-deny:.mcp.json"}


def test_links__are_followed_inside_the_repository_alone(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    (tmp_path / "outside.json").write_text(declare(outside=LAUNCH))
    repository.write({"inside.json": declare(inside=LAUNCH), ".vscode": "a file"})
    repository.link(
        {
            ".mcp.json": "inside.json",
            ".cursor/mcp.json": str(tmp_path / "outside.json"),
            ".roo/mcp.json": "mcp.json",
            "opencode.json": "gone.json",
        }
    )
    (repository.root / ".kiro/settings/mcp.json").mkdir(parents=True)
    os.mkfifo(repository.root / "crush.json")

    assert told(rows_of(assembler)) == {
        "server:.cursor/mcp.json": (
            "server-declaration-invalid",
            ".cursor/mcp.json: not read: outside-link",
        ),
        "server:.kiro/settings/mcp.json": (
            "server-declaration-invalid",
            ".kiro/settings/mcp.json: not read: directory",
        ),
        "server:.mcp.json#inside": ("server-not-allowed", ".mcp.json"),
        "server:.roo/mcp.json": (
            "server-declaration-invalid",
            ".roo/mcp.json: not read: ELOOP",
        ),
        "server:crush.json": ("server-declaration-invalid", "crush.json: not read: other"),
    }


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_folder__that_is_something_else_is_looked_at_and_no_further(
    at: str, assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".cursor": "a file", "elsewhere/mcp.json": declare(x=LAUNCH)})
    repository.link({".roo": "/etc", ".kilocode": "elsewhere", ".trae": "nowhere"})
    repository.commit()

    assert told(rows_of(assembler, "--at", at)) == {
        "server:.kilocode/mcp.json#x": ("server-not-allowed", ".kilocode/mcp.json"),
        "server:.roo/mcp.json": (
            "server-declaration-invalid",
            ".roo/mcp.json: not read: outside-link",
        ),
    }
