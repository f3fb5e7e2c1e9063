"""Of two revisions the policy's alone directs: no byte of the other's policy is policy."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from assembler import Task, assemble
from assembler.errors import AssemblerError
from tests.builders.repositories import RepositoryBuilder

TREE = dict[str, str | None]
"""The text of each file; a text that begins with `->` is a link; None is no file."""

INSTRUCTIONS = (
    "AGENTS.md", "AGENTS.override.md", "RULES.md", "src/AGENTS.md", "src/AGENTS.override.md",
    "src/deep/AGENTS.md", "src/deep/RULES.md",
)  # fmt: skip
SKILLS = (".agents/skills/one", ".agents/skills/two", "src/.agents/skills/one", "more/three")
PROFILES = (
    "counter: code-points\n",
    "instructions: {fallbacks: [RULES.md]}\n",
    "instructions: {limit_bytes: 30, on_overflow: cut}\n",
    "skills: {roots: [more], activate: [{skill: one}]}\ninstructions: {walk: cwd}\n",
    "tools: {resident: [read_file]}\nread: {deny: [RULES.md]}\n",
)


@st.composite
def trees(draw: st.DrawFn, marker: str) -> TREE:
    """A tree whose every file of policy holds the marker, in all that a reader could take of it."""
    tree: TREE = {}
    for name in INSTRUCTIONS:
        kind = draw(st.sampled_from(("none", "none", "text", "blank", "long", "link")))
        texts = {
            "text": f"# {marker} {name}\n",
            "blank": " \n",
            "long": f"{marker} rule\n" * 9,
            "link": f"->{'../' * name.count('/')}docs/{marker}.md",
        }
        tree[name] = texts.get(kind)
    for folder in SKILLS:
        if draw(st.booleans()):
            name = draw(st.sampled_from((folder.rpartition("/")[2], f"{marker}-skill")))
            head = f"---\nname: {name}\ndescription: Does {marker} things.\n---\n"
            tree[f"{folder}/SKILL.md"] = f"{head}# {marker}\n"
            tree[f"{folder}/notes.md"] = f"{marker} notes\n" if draw(st.booleans()) else None
    if draw(st.booleans()):
        chosen = draw(st.sampled_from(PROFILES))
        tree[".assembler/profile.yaml"] = f"# {marker}\nschema: assembler/profile/1\n{chosen}"
    tool = {"name": "read_file", "description": f"{marker} reads", "inputSchema": {}}
    tree[".assembler/tools.json"] = json.dumps([tool])
    tree[".assembler/pins/server.json"] = json.dumps({"of": marker})
    tree[f"docs/{marker}.md"] = f"# {marker} linked\n"
    return tree


def put(repository: RepositoryBuilder, tree: TREE) -> None:
    repository.git("rm", "-rqf", "--ignore-unmatch", ".")
    for name, text in tree.items():
        if text is not None and text.startswith("->"):
            repository.link({name: text[2:]})
        elif text is not None:
            repository.write({name: text})
    repository.write({"src/deep/x.py": "x = 1\n"})


@settings(max_examples=40)
@given(
    trees("policya"), trees("branchb"), st.sampled_from(("worktree", "index", "HEAD")),
    st.sampled_from(("Do it.", "Use $one and $branchb-skill.")),
)  # fmt: skip
def test_policy__holds_no_byte_of_the_other_revisions_policy(
    policy: TREE, branch: TREE, at: str, objective: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repository = RepositoryBuilder(Path(folder) / "r")
        put(repository, policy)
        main = repository.commit()
        put(repository, branch)
        repository.git("add", "-A")
        if at == "HEAD":
            repository.commit()
        targets = [
            "src/deep/x.py",
            "docs/branchb.md",
            *(["AGENTS.md"] if branch["AGENTS.md"] else []),
        ]
        try:
            run = assemble(
                repository.root, Task(objective=objective), at=at, policy_from=main,
                targets=targets, environment={"HOME": folder},
            )  # fmt: skip
        except AssemblerError as error:
            # Policy that is broken refuses, whatever the branch holds.
            assert "branchb" not in f"{error.message} {error.where} {error.next_step}"
            return
        text = run.rendered.data
        instructions, _, rest = text.partition(b"[[2 task contract]]")
        _, _, rest = rest.partition(b"[[3 tools and skills]]")
        tools, _, evidence = rest.partition(b"[[4 selected evidence]]")
        assert b"branchb" not in instructions + tools
        assert b"branchb" in evidence
        for row in run.ledger:
            if row.section in ("policy", "tools") and row.decision == "selected":
                assert row.revision in (main, None)
        kept = {name for name in INSTRUCTIONS if policy[name] != branch[name]}
        told = {row.id for row in run.ledger if row.kind == "policy-offer"}
        walked = {name for name in kept if name.endswith(("AGENTS.md", "AGENTS.override.md"))}
        if b"walk: cwd" not in (policy.get(".assembler/profile.yaml") or "").encode():
            assert {f"differs:{name}" for name in walked} <= told
