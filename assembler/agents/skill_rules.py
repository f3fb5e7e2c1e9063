"""The words in which an agent's own rules about skills, commands and subagents are described.

A description is data: where skills are looked for, how a head is read, which of equal names is
meant, and what the list is. Nothing here knows of any one agent.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from assembler.agents.rules import Stop, Switch

SkillScope: TypeAlias = Literal["user", "repo"]
FaultyYaml: TypeAlias = Literal["quoted-or-none", "lines", "colons"]
"""What follows where a head is no YAML: values with marks of YAML are put in quotes, and if that
does not help no field counts; a reader of lines takes over; values with a colon become blocks of
text, and if that does not help the file is dropped."""


class SkillPlace(NamedTuple):
    """Folders that are searched."""

    base: Literal["home", "cwd", "walk-up"]
    """`walk-up`: each folder from where the agent starts up to the top, the nearest first."""
    folders: tuple[str, ...]
    """Below the base, each with all that it has before the next."""
    scope: SkillScope
    variable: str | None = None
    """An environment variable that names a folder in place of the first part of each."""
    off_by: tuple[str, ...] = ()
    """Environment variables that switch the place off."""


class ScanRules(NamedTuple):
    """Which files of a searched folder count."""

    any_depth: bool = False
    """Else those of the folders in it alone."""
    takes_top: bool = False
    """A SKILL.md in the searched folder itself."""
    takes_hidden: bool = False
    """Folders whose name begins with a dot."""
    skips: frozenset[str] = frozenset()
    """Names of folders that are never entered."""


class HeadRules(NamedTuple):
    """How the head of a file is read."""

    block: str
    """A pattern of the whole text; its first group is the head, its second what follows it."""
    drops_bom: bool
    faulty: FaultyYaml
    name_from: Literal["folder", "field"]
    """What the skill is called where equal names meet; a field that must be there, or the folder,
    which needs none."""
    description_from: Literal["field", "body"]
    """A field that must be there and may be empty, or else the first line of the text below."""
    usual_description: str = ""
    """Where the text below is empty too."""
    most_body_units: int = 0
    """Of a description out of the text below, in UTF-16 units; a longer one ends in three dots."""
    is_joined: bool = False
    """A description of several lines becomes one."""
    takes_other_kinds: bool = False
    """A number as name or description is its text; else it is no text, and as missing."""
    hidden_by: str | None = None
    """A field that keeps a skill out of the list where it is true."""
    appended: tuple[str, str] | None = None
    """A field that goes behind the description, and what stands between."""
    name_marks: str = ""
    """Characters of a name that become `-`."""


class BudgetRules(NamedTuple):
    """What the list may cost, in UTF-16 units, each line with its line feed."""

    limit: int
    own: int
    """Of it taken by the agent's own skills: an assumption within the two that follow."""
    least_own: int
    most_own: int


class ListRules(NamedTuple):
    """How what is offered becomes a list."""

    item: str
    """With `{name}`, `{description}`, `{location}`, and for subagents `{tools}`."""
    order: Literal["places-name", "places-path-down", "name"]
    """Place after place, by name within one; place after place, a file of the place itself first
    and then by path from the last to the first; all together by name."""
    equal: Literal["first", "last", "race"]
    """Which of equal names is listed; the last one at the place of the first."""
    bare: str | None = None
    """An item without its description, where the list is over its budget."""
    label: str = "{name}"
    """Where folder and name differ; with `{folder}`."""
    label_refused: str = ""
    """A name with one of these characters is not shown beside that of its folder."""
    escapes: tuple[tuple[str, str], ...] = ()
    most_units: int | None = None
    """Of a description, in UTF-16 units; of a longer one the last is an ellipsis."""
    budget: BudgetRules | None = None


class BesideRules(NamedTuple):
    """Commands or subagents: files in folders of their own, at any depth."""

    kind: Literal["command", "subagent"]
    places: tuple[SkillPlace, ...]
    ending: str
    is_listed: bool
    """Whether the model is told of any."""
    name_from: Literal["path", "field"] = "path"
    """The path below the folder, without the ending; or a field that must be there."""
    joint: str = "/"
    """Between the parts of such a path."""
    joins_skills: bool = False
    """They follow the skills in one list and are called like them."""
    head: HeadRules | None = None
    """None: as that of skills."""
    listing: ListRules | None = None
    """None: as that of skills."""
    tools_field: str | None = None
    all_tools: str = ""
    left_out: tuple[str, tuple[str, ...]] | None = None
    """A field, and the values of it with which an entry is not listed."""


class SkillRules(NamedTuple):
    """How one agent finds, reads and lists skills, and what it lists beside them."""

    places: tuple[SkillPlace, ...]
    scan: ScanRules
    head: HeadRules
    listing: ListRules
    stop: Stop
    """Of a place that walks up."""
    file_name: str = "SKILL.md"
    stops_below_home: bool = False
    """Without a repository the walk ends below HOME."""
    file_counts_once: bool = False
    """A file that is found by two ways is the first one alone."""
    beside: tuple[BesideRules, ...] = ()
    nothing: tuple[Switch, ...] = ()
    ignored_fields: tuple[str, ...] = ()
    """That other agents act on, and this one does not."""
    own: str = ""
    """The skills that the agent brings along, in words; they are not reproduced."""
    not_measured: str = ""
    """Which of these rules are likely and not seen in a run."""
    order_note: str = ""
    """What was seen of the order that a description can't say."""
