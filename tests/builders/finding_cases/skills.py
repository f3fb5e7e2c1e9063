"""Skills: their files, names, folders and pins, and what profile and task say of them."""

from __future__ import annotations

import json
from typing import Any

from tests.builders.command_line import Result
from tests.builders.finding_cases.case import Case, Files, Ground
from tests.builders.trees import FIFO

PDF = ".agents/skills/pdf"
SKILL = f"{PDF}/SKILL.md"
RUN = ("assemble", "-m", "x")


def skill(head: str = "", body: str = "Use it.\n", *, name: str = "pdf") -> str:
    return f"---\nname: {name}\ndescription: Reads PDF files.\n{head}---\n{body}"


def _file(text: str | bytes) -> Files:
    return {SKILL: text}


def _profile(skills: Any, **members: Any) -> Files:
    document = {"schema": "assembler/profile/1", "skills": skills, **members}
    return {".assembler/profile.yaml": json.dumps(document)}


def _task(*names: str) -> str:
    return json.dumps({"schema": "assembler/task/1", "objective": "x", "skills": names})


def _change_after_lock(changed: Files, ground: Ground) -> Result:
    ground.build({SKILL: skill(), "README.md": "a\n"})
    assert ground.command("lock").code == 0
    ground.build(changed)
    return ground.ask(("check",))


def _trusted(folder: str) -> Files:
    text = f"schema: assembler/host/1\nrepositories: {{trusted: ['{folder}']}}\n"
    return {"~/host.yaml": text, SKILL: skill()}


WHOLE = _file(skill())

SKILL_CASES = {
    "ASM201": Case(_file("# PDF\n"), WHOLE),
    "ASM202": Case(
        _file('---\nname: pdf\ndescription: "Reads\n---\n'),
        _file('---\nname: pdf\ndescription: "Reads"\n---\n'),
    ),
    "ASM203": Case(
        _file("---\nname: pdf\ndescription: Use when: it is a PDF\n---\n"),
        _file('---\nname: pdf\ndescription: "Use when: it is a PDF"\n---\n'),
    ),
    "ASM204": Case(_file(skill(name="pdf--x")), _file(skill(name="pdf-x"))),
    "ASM205": Case(_file(skill(name="csv")), WHOLE),
    "ASM206": Case(
        _file(f"---\nname: pdf\ndescription: {'d' * 1_025}\n---\n"),
        _file(f"---\nname: pdf\ndescription: {'d' * 1_024}\n---\n"),
    ),
    "ASM207": Case(
        {f"a/{SKILL}": skill(body="In a.\n")}, {f"a/{SKILL}": skill()}, base=WHOLE, run=("-C", "a")
    ),
    "ASM208": Case(_file(skill(body="a\n" * 497)), _file(skill(body="a\n" * 496))),
    "ASM209": Case(
        _file(skill(body="[notes](../notes.md)\n")),
        _file(skill(body="[notes](notes.md)\n")),
        base={f"{PDF}/notes.md": "n\n"},
        run=("-m", "use $pdf"),
    ),
    "ASM210": Case(
        lambda ground: _change_after_lock({f"{PDF}/run.sh": "echo\n"}, ground),
        lambda ground: _change_after_lock({"README.md": "b\n"}, ground),
    ),
    "ASM211": Case(
        _profile({"budget": {"tokens": 1}}),
        _profile({"budget": {"tokens": 1_000}}),
        RUN,
        base=WHOLE,
    ),
    "ASM212": Case(
        _file(skill("allowed-tools: find_symbl\n")),
        _file(skill("allowed-tools: find_symbol\n")),
        base={
            ".assembler/profile.yaml": "schema: assembler/profile/1\n"
            "tools: {resident: [find_symbol]}\n",
        },
    ),
    "ASM213": Case(_file(skill().encode() + b"\xff"), WHOLE),
    "ASM214": Case(
        {f"{PDF}/in/SKILL.md": skill(name="in")},
        {".agents/skills/in/SKILL.md": skill(name="in")},
        base=WHOLE,
    ),
    "ASM215": Case(_file(skill("version: '1.0'\n")), _file(skill("metadata: {version: '1.0'}\n"))),
    "ASM216": Case(
        {f"{PDF}/{'d/' * 6}notes.md": "n\n"}, {f"{PDF}/{'d/' * 5}notes.md": "n\n"}, base=WHOLE
    ),
    "ASM217": Case(
        _trusted("{HOME}"),
        _trusted("{ROOT}"),
        (*RUN, "--host", "{HOME}/host.yaml"),
        run=("--host", "{HOME}/host.yaml"),
    ),
    "ASM218": Case(
        {f"{PDF}/refs.md": "n\n"},
        {f"{PDF}/ref.md": "n\n"},
        ("assemble", "--task", "-"),
        base=WHOLE,
        stdin=_task("pdf/ref.md"),
        run=("--task", "-"),
    ),
    "ASM219": Case(
        {f"{PDF}/ref.md": FIFO},
        {f"{PDF}/ref.md": "n\n"},
        ("assemble", "--task", "-"),
        base=WHOLE,
        stdin=_task("pdf/ref.md"),
    ),
    "ASM220": Case(_profile({"always": ["pfd"]}), _profile({"always": ["pdf"]}), RUN, base=WHOLE),
    "ASM228": Case(
        _profile({"roots": [".claude/skill"]}),
        _profile({"roots": [".claude/skills"]}),
        RUN,
        base={".claude/skills/csv/SKILL.md": skill(name="csv")},
    ),
    "ASM229": Case(
        {}, {}, ("assemble", "-m", "use $Pdf"), ("assemble", "-m", "use $pdf"), base=WHOLE
    ),
    "ASM231": Case(
        {".agents/skills/d\u0435ploy/SKILL.md": skill(name="d\u0435ploy")},
        {".agents/skills/deploy/SKILL.md": skill(name="deploy")},
    ),
    "ASM232": Case(
        _file("---\nname: pdf\ndescription:\tReads it.\n---\n"),
        _file("---\nname: pdf\ndescription: Reads it.\n---\n"),
    ),
    "ASM233": Case(_file("\ufeff" + skill()), WHOLE),
    "ASM234": Case(
        _file("---\nname: pdf\ndescription: Use for C# #and more\n---\n"),
        _file("---\nname: pdf\ndescription: Use for C#and more\n---\n"),
    ),
}
