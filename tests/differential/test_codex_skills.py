"""Random folders of skills against the real Codex, where CODEX_BIN names one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assembler.errors import UsageError
from assembler.front.agent_skills import AgentSkillReport, report_agent_skills
from assembler.model.agent_skills import CODEX_SKILLS
from assembler.model.finding import Finding
from tests.builders.agent_trees import AgentTree
from tests.builders.codex_skills import SkillAnswer, ask_codex
from tests.builders.random_codex import BATCHES, PROGRAM, needs_codex, require_equal_answers
from tests.builders.skill_trees import random_skill_tree

OWN_SKILLS_OFF = "skills.bundled.enabled=false"
"""Their text is the vendor's, and changes with the version."""

pytestmark = needs_codex


@pytest.mark.parametrize("batch", range(BATCHES))
def test_skills__are_what_codex_lists(batch: int, base: Path) -> None:
    require_equal_answers(batch, random_skill_tree, lambda tree: answers(tree, base))


def answers(tree: AgentTree, base: Path) -> str | None:
    """Where both answers differ, member by member."""
    assert PROGRAM is not None
    tree = tree._replace(overrides=(*tree.overrides, OWN_SKILLS_OFF))
    place = base / "tree"
    cwd, home = tree.write(place)
    environment = {"HOME": str(home), "PATH": os.defpath}
    try:
        theirs = ask_codex(PROGRAM, cwd, environment, tree.overrides)
        ours = load(tree, cwd, environment)
    finally:
        shutil.rmtree(place)
    # Codex tells no place where it reads none, and we may.
    told = {(path, slug) for path, slug, where in theirs.errors if not where}
    ours = ours._replace(
        errors=tuple(
            (path, slug, "" if (path, slug) in told else where) for path, slug, where in ours.errors
        )
    )
    differing = [
        f"{name}\n  codex: {codex!r:.1500}\n  ours:  {own!r:.1500}"
        for name, codex, own in zip(SkillAnswer._fields, theirs, ours, strict=True)
        if codex != own
    ]
    return "\n".join(differing) or None


def load(tree: AgentTree, cwd: Path, environment: dict[str, str]) -> SkillAnswer:
    try:
        report = report_agent_skills(
            "codex", cwd, environment=environment, overrides=tree.overrides
        )
    except UsageError as error:
        assert error.code == "agent-config", error
        return SkillAnswer(refused=True)
    return as_answer(report)


def as_answer(report: AgentSkillReport) -> SkillAnswer:
    """Our report in the form of Codex's answer."""
    order = CODEX_SKILLS.listing_order
    found = [
        skill
        for skill in report.skills
        if skill.state not in {"rejected", "shadowed"} and skill.slug != "other-product"
    ]
    found.sort(key=lambda skill: (order.index(skill.scope), skill.name, skill.source.split("/")))
    system = {skill.source for skill in report.skills if skill.scope == "system"}
    errors = {
        as_error(finding)
        for finding in report.findings
        if finding.severity == "error"
        and finding.slug.startswith("skill-")
        and finding.slug != "skill-scan-bounded"
        and finding.data["absolute_path"] not in system
    }
    return SkillAnswer(
        lines=report.lines,
        roots=tuple(f"- `{root.alias}` = `{root.path}`" for root in report.roots),
        block_size_bytes=report.block_size_bytes,
        listed=tuple((skill.name, skill.scope, skill.source, skill.is_enabled) for skill in found),
        errors=tuple(sorted(errors)),
    )


def as_error(finding: Finding) -> tuple[str, str, str]:
    line = finding.data.get("front_matter_line")
    where = "" if line is None or finding.slug != "skill-yaml" else f"{line}:{finding.column}"
    return (finding.data["absolute_path"], finding.slug, where)
