"""`assembler/task/1`: what is asked of one run. Plain text is the objective alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, Literal

from assembler.config.decoding import config_error, decode
from assembler.config.records import Meta, Struct
from assembler.errors import UsageError
from assembler.model.document import Document, DocumentPath
from assembler.model.symbols import split_symbol
from assembler.model.times import is_date, is_time

SCHEMA: Final = "assembler/task/1"
ReadDocument = Callable[[bytes], Document]

Line = Annotated[int, Meta(ge=1, le=10**11)]
_SILENT_KEYS: Final = {
    "file": ("url", "case"),
    "symbol": ("file", "lines", "around", "url", "case"),
    "summary": ("lines", "around", "url", "revision", "sha256", "case"),
    "test": ("sha256",),
    "observation": ("case", "sha256"),
    "issue": ("case", "sha256"),
    "record": (
        *("file", "lines", "around", "url", "revision", "sha256", "case"),
        *("valid_from", "valid_to", "topics"),
    ),
}
"""Keys that a class of evidence has from elsewhere: an option that does nothing is refused."""

DOCUMENT_ENDINGS: Final = (".yaml", ".yml", ".json")
"""A file of such a name is a task document, whatever its first line says."""

EVIDENCE_CLASSES: Final = ("test", "observation", "issue", "file", "symbol", "summary", "record")
_PAYLOADS: Final = ("test", "observation", "issue")
_SOURCES: Final = ("file", "symbol")


class EvidenceEntry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One wanted piece of evidence: exactly one of the seven classes."""

    test: str | int | None = None
    """Id of a test whose output `file` holds; its row is `test:ID`."""
    observation: str | int | None = None
    """Id of a tool result that `file` holds; its row is `observation:ID`."""
    issue: str | int | None = None
    """Id of an issue that `file` holds; its row is `issue:ID`, untrusted."""
    summary: str | int | None = None
    """Id of a stored summary of the artifact index; its row is `summary:ID`."""
    record: str | int | None = None
    """Id of a record of the profile's records file; its row is `record:ID`."""
    symbol: str | None = None
    """A definition of a file, `PATH#NAME`; its row is `file:PATH#NAME`."""
    imports: bool = False
    """Keep the imports that the definition uses, too."""
    file: str | None = None
    """The file itself, or the payload of a test, observation or issue."""
    lines: tuple[Line, Line] | None = None
    """First and last line, from 1; whole lines are kept."""
    around: str | None = None
    """Keep the lines around the first line that holds this text."""
    case: str | None = None
    """Of a test report: keep the lines of this case; of other text those around its name."""
    url: str | None = None
    """Where the issue, test or observation came from."""
    revision: str | None = None
    """At which revision a test ran or an observation was made; of a file or a symbol: at which
    the section is known, as `file:PATH@REV`."""
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")] | None = None
    """Of a file or a symbol: digest of the section as it is known."""
    observed_at: str | None = None
    """When it was observed, `YYYY-MM-DDThh:mm:ssZ`; recorded, decides nothing."""
    retrieved_at: str | None = None
    """When it was retrieved; recorded, decides nothing."""
    valid_from: str | None = None
    """First date on which it holds; asked by `as_of`."""
    valid_to: str | None = None
    """First date on which it holds no more."""
    expires_at: str | None = None
    """From this time on it is expired; asked by --now."""
    topics: list[str] = []
    """What it is about; out if it shares none with the task."""
    lineage: list[str] = []
    """Ids of what it descends from; a seal sees them."""
    group: str | None = None
    """Items of one group enter whole or not at all."""

    @property
    def evidence_class(self) -> str:
        """Which of the seven it is; checked when the task was read."""
        for name in EVIDENCE_CLASSES:
            if name != "file" and getattr(self, name) is not None:
                return name
        return "file"


class Search(Struct, frozen=True, forbid_unknown_fields=True, rename={"in_": "in"}):
    """One bounded search; its hits decide nothing by themselves."""

    text: str | None = None
    """A literal text inside files."""
    name: str | None = None
    """A glob over file names."""
    in_: str = "**"
    """A glob over paths."""
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    """Most hits that become rows."""


class Changed(Struct, frozen=True, forbid_unknown_fields=True):
    """Which changed paths are listed; they decide nothing by themselves."""

    since: Annotated[str, Meta(min_length=1)] | None = None
    """A revision to compare with; left out: HEAD, or of a commit its first parent."""
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    """Most paths that become rows."""


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A question and its answer."""

    question: str
    """What was asked."""
    answer: str
    """The answer that was right."""


class SealEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One sealed id: of an event, an artifact, a call, or a line of descent."""

    events: str | None = None
    """Id of a sealed event."""
    artifacts: str | None = None
    """Id of a sealed item, as its row has it: `issue:842`."""
    calls: str | None = None
    """Id of a sealed call."""
    lineage: str | None = None
    """Id in the lineage of what is sealed."""


class Work(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the work stands."""

    changed: str | None = None
    """What has been changed so far."""
    next: str | None = None
    """What comes next."""


class Task(
    Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"schema_": "schema"}
):
    """What is asked: an objective or a question, and the evidence that is wanted for it."""

    schema_: Literal["assembler/task/1"] = SCHEMA
    """The first key of a task document."""
    id: str | None = None
    """Who this task is; default: `task:` and digits of the objective's digest."""
    actor: str | None = None
    """Who asks; default `assembler`."""
    objective: str | None = None
    """What is to be done."""
    question: str | None = None
    """What is asked; alone it is the objective."""
    instruction: str | None = None
    """The invoker's own instruction; policy beside the instruction files."""
    targets: list[str] = []
    """Paths to work on; each is one optional item, and the instruction chain leads to them."""
    topics: list[str] = []
    """What the task is about."""
    as_of: str | list[str] | None = None
    """Asked date or dates, for validity."""
    required: list[str] = []
    """Ids of rows without which there is no run."""
    evidence: list[EvidenceEntry] = []
    """What is wanted beside the targets."""
    search: list[Search] = []
    """Bounded searches; hits become rows, and enter only when something names them."""
    changed: bool | Changed = False
    """List what differs from HEAD, or from another revision; rows that decide nothing."""
    proof: str | None = None
    """The command that will prove the work; its paths are evidence."""
    skills: list[str] = []
    """Skills to activate, by NAME; NAME/PATH also brings that file of the skill's folder in."""
    example: Example | list[Example] = []
    """One example or several."""
    seals: list[SealEntry] = []
    """What must not enter."""
    work: Work = Work()
    """Where the work stands."""

    @property
    def objective_text(self) -> str:
        """The objective; a lone question is the objective."""
        return self.objective if self.objective is not None else self.question or ""

    @property
    def asked_changes(self) -> Changed | None:
        """Which changed paths are wanted, or None."""
        if isinstance(self.changed, bool):
            return Changed() if self.changed else None
        return self.changed

    @property
    def asks_for_records(self) -> bool:
        """Whether a record could be one of the things that the task asks for."""
        return bool(
            self.topics
            or self.as_of
            or any(entry.record is not None for entry in self.evidence)
            or any(name.startswith("record:") for name in self.required)
        )

    @property
    def asked_dates(self) -> tuple[str, ...] | None:
        """The asked dates, sorted, or None."""
        if self.as_of is None:
            return None
        return tuple(sorted({self.as_of} if isinstance(self.as_of, str) else set(self.as_of)))


def read_task(data: bytes, *, path: str, read_document: ReadDocument) -> Task:
    """A task from the bytes of a task document, or of a plain text that is the objective.

    Raises:
        UsageError: no objective.
        ConfigError: the document does not say what a task says.
    """
    if not (path.endswith(DOCUMENT_ENDINGS) or _looks_like_a_document(data)):
        return _plain_task(data, path)
    document = read_document(data)
    task = decode(document, Task, path=path, schema=SCHEMA)
    _check(task, document, path)
    return task


def _looks_like_a_document(data: bytes) -> bool:
    """Whether the first line that says something is `schema:`, or the text is JSON."""
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        words = line.strip()
        if words and words != b"---" and not words.startswith(b"#"):
            return words.startswith((b"schema:", b"{"))
    return False


def check_task(task: Task) -> None:
    """Refuse a task without an objective, however it was made.

    Raises:
        UsageError: `task-without-objective`.
    """
    if not task.objective_text.strip():
        raise _no_objective("task")


def _plain_task(data: bytes, path: str) -> Task:
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8").strip()
    except UnicodeDecodeError:
        raise UsageError(
            "not-utf8", f"the task in {path} is not UTF-8", where=path, next_step="save it as UTF-8"
        ) from None
    if not text:
        raise _no_objective(path)
    return Task(objective=text)


def _check(task: Task, document: Document, path: str) -> None:
    if not task.objective_text.strip():
        raise _no_objective(f"{path}:{document.where(())}")
    for index, date in enumerate(task.asked_dates or ()):
        if not is_date(date):
            at: DocumentPath = ("as_of",) if isinstance(task.as_of, str) else ("as_of", index)
            raise config_error(document, path, at, "is not a date YYYY-MM-DD")
    if task.asked_dates == ():
        raise config_error(document, path, ("as_of",), "holds no date; leave it out instead")
    seen: set[tuple[str, ...]] = set()
    for index, entry in enumerate(task.evidence):
        _check_evidence(entry, document, path, ("evidence", index))
        _check_case(entry, document, path, ("evidence", index))
        kind = entry.evidence_class
        name = (kind, str(getattr(entry, kind)), *_part(entry))
        if name in seen:
            raise config_error(document, path, ("evidence", index), "stands twice")
        seen.add(name)
    for index, search in enumerate(task.search):
        if (search.text is None) == (search.name is None) or search.text == "":
            raise config_error(
                document, path, ("search", index), "wants exactly one of `text` and `name`"
            )
    for index, skill in enumerate(task.skills):
        head, slash, file = skill.partition("/")
        if not head or (slash and not file):
            raise config_error(document, path, ("skills", index), "is no NAME and no NAME/PATH")
    for index, seal in enumerate(task.seals):
        named = [n for n in ("events", "artifacts", "calls", "lineage") if getattr(seal, n)]
        if len(named) != 1:
            raise config_error(
                document,
                path,
                ("seals", index),
                "wants exactly one of `events`, `artifacts`, `calls` and `lineage`",
            )


def _check_evidence(entry: EvidenceEntry, document: Document, path: str, at: DocumentPath) -> None:
    named = [n for n in EVIDENCE_CLASSES if n != "file" and getattr(entry, n) is not None]
    if len(named) > 1 or (not named and entry.file is None):
        raise config_error(
            document,
            path,
            at,
            "wants exactly one of `test`, `observation`, `issue`, `file`, `symbol`, `summary`, "
            "`record`",
        )
    kind = named[0] if named else "file"
    article = "an" if kind[0] in "io" else "a"
    for name in _SILENT_KEYS.get(kind, ()):
        if getattr(entry, name) not in (None, []):
            raise config_error(document, path, (*at, name), f"means nothing for {article} {kind}")
    if kind in _PAYLOADS and entry.file is None:
        raise config_error(document, path, at, f"names a {named[0]} without its `file`")
    if named == ["summary"] and entry.file is not None:
        raise config_error(document, path, at, "a summary is found by the artifact index")
    if entry.lines is not None and entry.lines[0] > entry.lines[1]:
        raise config_error(document, path, (*at, "lines"), "ends before it begins")
    if entry.lines is not None and entry.around is not None:
        raise config_error(document, path, at, "wants `lines` or `around`, not both")
    _check_symbol(entry, document, path, at, kind)
    _check_seen(entry, document, path, at, kind)
    _check_times(entry, document, path, at)


def _check_symbol(
    entry: EvidenceEntry, document: Document, path: str, at: DocumentPath, kind: str
) -> None:
    if entry.symbol is not None and split_symbol(entry.symbol) is None:
        raise config_error(document, path, (*at, "symbol"), "is no PATH#NAME of a definition")
    if entry.imports and kind != "symbol":
        raise config_error(document, path, (*at, "imports"), f"means nothing for a {kind}")


def _part(entry: EvidenceEntry) -> tuple[str, ...]:
    """What tells two entries of one file or symbol apart."""
    if entry.evidence_class not in _SOURCES:
        return ()
    at = entry.revision if entry.revision is not None else (entry.sha256 or "")[:12]
    return (str(entry.lines), str(at))


def _check_seen(
    entry: EvidenceEntry, document: Document, path: str, at: DocumentPath, kind: str
) -> None:
    if kind not in _SOURCES:
        return
    if entry.revision is not None and not entry.revision.strip():
        raise config_error(document, path, (*at, "revision"), "is blank")
    if entry.around is not None and (entry.revision is not None or entry.sha256 is not None):
        raise config_error(
            document, path, at, "names what is known of a section by `lines`, not by `around`"
        )


def _check_times(entry: EvidenceEntry, document: Document, path: str, at: DocumentPath) -> None:
    for name in ("observed_at", "retrieved_at", "expires_at"):
        text = getattr(entry, name)
        if text is not None and not is_time(text):
            raise config_error(document, path, (*at, name), "is not a time YYYY-MM-DDThh:mm:ssZ")
    for name in ("valid_from", "valid_to"):
        text = getattr(entry, name)
        if text is not None and not is_date(text):
            raise config_error(document, path, (*at, name), "is not a date YYYY-MM-DD")


def _check_case(entry: EvidenceEntry, document: Document, path: str, at: DocumentPath) -> None:
    if entry.case is not None and entry.lines is not None:
        raise config_error(document, path, at, "wants `lines` or `case`, not both")
    if entry.case is not None and not entry.case.strip():
        raise config_error(document, path, (*at, "case"), "is blank")


def _no_objective(where: str) -> UsageError:
    return UsageError(
        "task-without-objective",
        "the task has no objective and no question",
        where=where,
        next_step="give -m TEXT, or `objective:` in the task file",
    )
