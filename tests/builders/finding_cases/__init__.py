"""For every finding code the tree in which it fires, and the nearest one in which it does not.

The cases stand by what they are about, one file each; `CASES` is all of them.
"""

from __future__ import annotations

from tests.builders.finding_cases.agents import AGENT_CASES
from tests.builders.finding_cases.case import Case
from tests.builders.finding_cases.chains import CHAIN_CASES
from tests.builders.finding_cases.other_agents import OTHER_AGENT_CASES
from tests.builders.finding_cases.runs import RUN_CASES
from tests.builders.finding_cases.skills import SKILL_CASES
from tests.builders.finding_cases.tools import TOOL_CASES
from tests.builders.finding_cases.transcripts import TRANSCRIPT_CASES

CASES: dict[str, Case] = {
    **CHAIN_CASES,
    **SKILL_CASES,
    **AGENT_CASES,
    **OTHER_AGENT_CASES,
    **TOOL_CASES,
    **RUN_CASES,
    **TRANSCRIPT_CASES,
}
