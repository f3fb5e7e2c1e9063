"""The words in which an agent is described: where it looks, what it takes, what it makes of it.

A description is data. Its steps are carried out in their order, each adds entries, and the walk
knows nothing of any one agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from assembler.agents.skill_rules import SkillRules

Role: TypeAlias = Literal["user", "system"]
"""Of the message in which the model reads an entry."""
Base: TypeAlias = Literal["home", "system", "cwd", "root", "repository", "none"]
"""HOME; the machine's configuration folder of the agent; where it starts; the top of
the walk; the repository around it; nothing but what the variable names."""
Gate: TypeAlias = Literal["none", "below-cwd", "below-root"]
"""Which files an import may reach: every one, or those that really lie below a folder."""


class Place(NamedTuple):
    """A file or folder that a description speaks of."""

    base: Base
    path: str
    """Below the base."""
    variable: str | None = None
    """An environment variable that names a folder in place of the first part of the path."""
    unless: str | None = None
    """An environment variable that takes the place away where it is set."""


class TextRules(NamedTuple):
    """What becomes of the bytes of a file before the model reads them; decoding never fails."""

    drops_bom: bool = True
    parses_bom: bool = False
    """The mark stands before the first block while comments and imports are looked for."""
    trims: bool = True
    """White space at both ends, as JavaScript's `trim` takes it."""
    drops_front_matter: bool = False
    drops_comments: bool = False
    """HTML comments that are blocks of their own and closed."""
    keeps_blank: bool = False
    """A file of white space alone is an entry; an empty one never is."""


class ImportRules(NamedTuple):
    """What `@path` in a file does."""

    style: Literal["appended", "inline"]
    """The target is an entry of its own behind the file, or stands in place of the words."""
    most_hops: int
    gate: Gate
    """For files of the project; those of the user are free where the style is `appended`."""
    gate_folds: bool = False
    """The gate takes capitals for small letters."""
    follows_links_out: bool = False
    """The gate judges the path as it is named, and not where links lead."""
    approval: tuple[str, ...] = ()
    """Key in the agent's state file that opens the gate; `{project}` is the project's folder."""
    state_file: Place | None = None
    older_state_file: Place | None = None
    """Read in place of the other where it is there."""
    follows_own_link: bool = False
    """Names are relative to where a file really is, and not to where a link to it stands."""
    endings: frozenset[str] | None = None
    """Endings of targets that are read; None: all."""
    flat_key: str | None = None
    """Setting that makes sections of the imports where its value is `flat`."""


class Kind(NamedTuple):
    """What an entry is called and where the model reads it."""

    name: str
    """As the agent itself calls it in the header, or a word of ours where it has none."""
    role: Role = "user"
    source: Literal["managed", "user", "project", "local"] = "project"
    """Whose it is; command line options of agents switch sources off."""


class SettingText(NamedTuple):
    """A text that stands in a settings file itself."""

    key: str
    shown: str
    """What stands for its path."""
    kind: Kind


class Names(NamedTuple):
    """Files of fixed names in one folder."""

    folder: Place
    names: tuple[str, ...]
    kind: Kind
    with_configured: bool = False
    """Before them the names that the settings give."""
    choose: Literal["all", "first"] = "all"
    """`first` takes the first that exists, blank or not."""


class FirstOf(NamedTuple):
    """The first of several files that exists, blank or not."""

    places: tuple[Place, ...]
    kind: Kind
    last_off_by: tuple[str, ...] = ()
    """Environment variables that switch the last place off."""


class RulesIn(NamedTuple):
    """A folder with rules: Markdown files at any depth, some of them for some paths alone."""

    folder: Place
    kind: Kind
    follows_links_out: bool = False
    """Links in it are followed wherever they lead."""


class FileHere(NamedTuple):
    """A file of each folder of a walk."""

    path: str
    kind: Kind
    is_fallback: bool = False
    """Taken only where no other file of the walk had text (see `Walk.fallback_blocks`)."""


class RulesHere(NamedTuple):
    """A folder with rules of each folder of a walk."""

    path: str
    kind: Kind


Stop: TypeAlias = Literal["file-system", "git-or-file-system", "marker-or-cwd"]
"""Where a walk upwards ends: never, at a repository if there is one, at a marker if there is one
(else it does not begin)."""


class Walk(NamedTuple):
    """The folders between a top and where the agent starts, and what is taken in each."""

    here: tuple[FileHere | RulesHere, ...]
    """In the order within one folder."""
    stop: Stop
    order: Literal["down", "up", "path-bytes"]
    choice: Literal["all", "one-name"] = "all"
    """`one-name`: the first name that any folder has is the name for the whole walk."""
    with_configured: bool = False
    """Names of the settings beside those here."""
    loop_loses_name: bool = False
    """A link that leads to itself loses every file of its name."""
    switched_off_by: tuple[str, ...] = ()
    """Environment variables."""
    name_switches: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Names that environment variables switch off."""


class Added(NamedTuple):
    """Folders that a command line option adds, each with what a folder of the walk has."""

    option: str
    here: tuple[FileHere | RulesHere, ...]
    needs_variable: str | None = None
    joins_walk: bool = False
    """Its files are put in order together with those of the walk."""
    with_configured: bool = False
    key: str | None = None
    """Setting with more of these folders, before those of the option."""
    walks: bool = False
    """Of each also the folders above, up to its own marker."""
    splits: bool = True
    """A comma in a value of the option stands between two folders."""


class Memory(NamedTuple):
    """An index of what an agent wrote down for itself about the project."""

    path: str
    """Below HOME; `{slug}` and `{project}` stand for the project."""
    kind: Kind
    variable: str | None = None
    most_lines: int | None = None
    most_bytes: int | None = None
    project: Literal["repository", "cwd"] = "repository"
    """What the place is named after; of a linked worktree the main checkout."""
    joins_lines: bool = False
    """Whatever ends its lines, a line feed does in the entry."""
    off_by: tuple[Switch, ...] = ()
    folder_key: str | None = None
    """Setting that names the folder of the index; the project's own settings do not count."""


class Listed(NamedTuple):
    """Files and patterns that the settings list; lists of all layers are joined."""

    key: str
    kind: Kind
    relative_off_by: tuple[str, ...] = ()
    """Environment variables that switch relative ones off."""


class Extensions(NamedTuple):
    """Folders of the user with a manifest that names context files."""

    folder: Place
    manifest: str
    key: str
    usual: tuple[str, ...]
    kind: Kind


Step: TypeAlias = (
    SettingText | Names | FirstOf | RulesIn | Walk | Added | Memory | Listed | Extensions
)


class SettingsFile(NamedTuple):
    """A file of settings, the weakest first."""

    place: Place
    layer: Literal["managed", "user", "project", "local"]
    names: tuple[str, ...] = ()
    """Of several files in the place's folder; none: the place is the file."""
    walks: Literal["", "down", "up"] = ""
    """One of each folder between the top of the walk and where the agent starts."""
    last_counts: bool = False
    """Of two names in one folder the later one's keys take the place of the other's."""
    variable: str | None = None
    """An environment variable that names the file itself."""


class SettingsRules(NamedTuple):
    """How settings are read."""

    files: tuple[SettingsFile, ...]
    form: Literal["json", "jsonc"]
    off_by: tuple[str, ...] = ()
    """Environment variables that switch the project's files off."""
    names_key: str | None = None
    """Gives names of instruction files, a text or a list."""
    list_keys: tuple[str, ...] = ()
    """Keys that are lists of texts, in a file that is an object, or the agent does not start."""
    markers_key: str | None = None
    """Gives the names that mark the top of the walk."""


class OnWords(NamedTuple):
    """Which values of an environment variable mean yes."""

    words: tuple[str, ...]
    folds: bool = False
    """Capitals count as small letters, and space around a word does not count."""
    variables: tuple[str, ...] = ()
    """Of these alone; none: of all that no other has."""

    def has(self, value: str) -> bool:
        """Whether a value is one of the words."""
        return (value.strip().lower() if self.folds else value) in self.words


class Switch(NamedTuple):
    """What turns something off: an option of the command line, a variable, or a setting."""

    option: str | None = None
    variable: str | None = None
    setting: str | None = None
    """Dotted key, with `\\.` for a dot in a name."""
    value: str | bool | None = None
    """That it must have; None: anything that is on."""
    layers: tuple[str, ...] = ()
    """Layers of settings that count; none: all."""


class TrustRules(NamedTuple):
    """When an agent starts in a folder at all."""

    file: Place
    setting: str
    """Dotted key of the setting that switches the question on."""
    is_on: bool
    """Where the setting is not there."""
    variable: str
    option: str
    exit_code: int
    trusts: tuple[str, ...]
    trusts_parent: tuple[str, ...]
    refuses: tuple[str, ...]
    file_variable: str | None = None
    """An environment variable that names the file itself."""


class OnRead(NamedTuple):
    """What joins the input when something below the start is read."""

    steps: tuple[FileHere | RulesHere, ...]
    """Of each folder between the start and what is read."""
    order: Literal["down", "up", "path-bytes"]
    choice: Literal["all", "first-of-folder"] = "all"
    trims: bool = True


class AgentRules(NamedTuple):
    """One agent at one version."""

    name: str
    title: str
    version: str
    """The rules were measured on this one."""
    program: str
    system_folder: str
    """Where the machine's configuration is, as the agent names it."""
    steps: tuple[Step, ...]
    text: TextRules
    settings: SettingsRules
    imports: ImportRules | None = None
    markers: tuple[str, ...] = (".git",)
    home_variable: str | None = None
    """An environment variable that takes the place of HOME."""
    same_file: Literal["real-path", "path", "twice"] = "real-path"
    """Whether one file is taken once by where it really is, once by its name, or each time."""
    nothing: tuple[Switch, ...] = ()
    """Each of these and nothing is loaded at all."""
    managed_only: Switch | None = None
    excludes_key: str | None = None
    """Setting with patterns of absolute paths that are left out."""
    sources_option: str | None = None
    """Option that names the sources that count, with commas."""
    joins_blank_lines: bool = False
    """In the system message more than two line feeds in a row are two."""
    fallback_switch: str | None = None
    """Setting that says what becomes of fallback files."""
    fallback_owner: str | None = None
    """Setting that is false, or a list, where fallback files and what decides on them are off."""
    fallback_layers: tuple[str, ...] = ()
    """Layers of settings whose switch counts; none: all."""
    fallback_values: tuple[tuple[str, Literal["fallback", "beside", "never"]], ...] = ()
    trust: TrustRules | None = None
    rule_bound: Literal["root", "cwd"] = "root"
    """Links in folders with rules reach what is below: the repository, or where it starts."""
    follows_rule_links_out: bool = False
    """Links in folders with rules are followed out of the repository."""
    skips_outer_checkout: bool = False
    """A linked worktree inside its main checkout does not read that one's project files."""
    on_read: OnRead | None = None
    on_words: tuple[OnWords, ...] = ()
    framing: tuple[tuple[str, int], ...] = ()
    """What stands around the entries, by place and length in characters; not reproduced."""
    not_covered: str = ""
    differs: str = ""
    """Of an older version: what is another rule than in the newest."""
    only_read: tuple[str, ...] = ()
    """What is said by documents or likely, and was not measured."""
    differences: tuple[str, ...] = ()
    """What is another thing here than in the agent, and meant."""
    skills: SkillRules | None = None
    """None: what it does with skills is not described."""
