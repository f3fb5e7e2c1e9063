"""In a git hook: git's own variables are set, and the index may be another file."""

from __future__ import annotations

from pathlib import Path

from tests.builders.command_line import ROOT, CommandLine
from tests.builders.repositories import RepositoryBuilder, git_environment


def test_hook__reads_the_index_that_git_names(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    import subprocess
    import sys

    hook = repository.root / ".git/hooks/pre-commit"
    hook.write_text(
        "#!/bin/sh\n"
        f"export PYTHONPATH={ROOT} HOME={tmp_path / 'home'}\n"
        f"cd src && {sys.executable} -m assembler assemble -m x -t x.py --at index -f input"
        f" > {tmp_path / 'input.txt'}\n"
    )
    hook.chmod(0o755)
    repository.write({"src/x.py": "partly staged\n", "docs/notes.md": "not committed\n"})
    # `git commit PATH` makes an index of its own, named relative to the root.
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=.git/hooks", "commit", "-q", "-m", "x", "src/x.py"],
        cwd=repository.root,
        env=git_environment(tmp_path),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rendered = (tmp_path / "input.txt").read_bytes()
    assert b"partly staged\n" in rendered
    assert assembler("log").code == 0
