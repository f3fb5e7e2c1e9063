"""Kinds of corruption of the manifest: figures, counter, identities, digests, sections."""

from __future__ import annotations

from assembler_verifier.folder import MANIFEST
from assembler_verifier.self_test.changes import edit, mended_events, more, other_digit, put
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import Kind

_BOUND = "codeai-16-bound"
_RAJ = "raj-declared"


def _copied_identity(draft: Draft) -> None:
    manifest = draft.read(MANIFEST)
    manifest["content_id"] = manifest["package_id"]
    draft.write(MANIFEST, manifest)


MANIFEST_KINDS = (
    Kind(
        name="total-altered",
        base=_BOUND,
        what="The total of the budget is another, and the events are mended.",
        why="The total is the sum of what was taken.",
        fails=("budget",),
        change=mended_events(edit(MANIFEST, ("budget", "total"), more)),
    ),
    Kind(
        name="limit-altered",
        base="code-points",
        what="The limit of the budget is another, and the events are mended.",
        why="The limit follows from window, reserves and what is resident.",
        fails=("budget",),
        change=mended_events(edit(MANIFEST, ("budget", "limit"), more)),
    ),
    Kind(
        name="resident-moved",
        base=_RAJ,
        what="Costs of the policy are booked on the tools, and the events are mended.",
        why="What is resident is told by section.",
        fails=("budget",),
        change=mended_events(
            put(MANIFEST, ("budget", "resident", "policy"), 1350),
            put(MANIFEST, ("budget", "resident", "tools"), 1000),
        ),
    ),
    Kind(
        name="reserve-altered",
        base=_RAJ,
        what="A reserve of the budget is smaller, and the events are mended.",
        why="Reserves are those of the inventory.",
        fails=("budget",),
        change=mended_events(put(MANIFEST, ("budget", "reserves", "response"), 1100)),
    ),
    Kind(
        name="slack-hidden",
        base="ka2-2026-09-14",
        what="What was left of the budget is called nothing, and the events are mended.",
        why="The slack is limit minus used.",
        fails=("budget",),
        change=mended_events(put(MANIFEST, ("budget", "slack"), 0)),
    ),
    Kind(
        name="count-altered",
        base="code-points",
        what="The total of a measured budget is one less, and the events are mended.",
        why="The total is the count of the whole text.",
        fails=("budget", "count"),
        because="the total is also the sum that the budget derives; a text with another count"
        " would be another text",
        change=mended_events(edit(MANIFEST, ("budget", "total"), lambda total: total - 1)),
    ),
    Kind(
        name="counter-name",
        base=_BOUND,
        what="The manifest names another counter, and the events are mended.",
        why="The counter is that of the budget.",
        fails=("counter",),
        change=mended_events(put(MANIFEST, ("counter", "name"), "o200k_base")),
    ),
    Kind(
        name="counter-of-a-declared-size",
        base=_BOUND,
        what="The manifest names a library that counted declared sizes; the events are mended.",
        why="Declared sizes are counted by nobody.",
        fails=("counter",),
        change=mended_events(put(MANIFEST, ("counter", "library"), "tiktoken==0.14.0")),
    ),
    Kind(
        name="counter-without-vocabulary",
        base="raj-o200k",
        what="The digest of the vocabulary that counted is left out; the events are mended.",
        why="A count without its vocabulary cannot be made again.",
        fails=("counter",),
        change=mended_events(put(MANIFEST, ("counter", "vocabulary_sha256"), None)),
    ),
    Kind(
        name="package-id-altered",
        base=_BOUND,
        what="The selection has another identity, and the events are mended.",
        why="The identity is a digest of what it names.",
        fails=("package-id",),
        change=mended_events(edit(MANIFEST, ("package_id",), other_digit)),
    ),
    Kind(
        name="trace-id-altered",
        base=_BOUND,
        what="The decisions have another identity, and the events are mended.",
        why="The identity is a digest of what it names.",
        fails=("trace-id",),
        change=mended_events(edit(MANIFEST, ("trace_id",), other_digit)),
    ),
    Kind(
        name="content-id-altered",
        base=_BOUND,
        what="The contents have another identity, and the events are mended.",
        why="The identity is a digest of what it names.",
        fails=("content-id",),
        change=mended_events(edit(MANIFEST, ("content_id",), other_digit)),
    ),
    Kind(
        name="identity-copied",
        base="freshness",
        what="The contents have the identity of the selection, and the events are mended.",
        why="Two identities of one package never are the same.",
        fails=("content-id",),
        change=mended_events(_copied_identity),
    ),
    Kind(
        name="rendered-digest",
        base=_BOUND,
        what="The manifest names another text, and the events are mended.",
        why="The manifest is that of this text.",
        fails=("rendered-hash",),
        change=mended_events(edit(MANIFEST, ("rendered", "sha256"), other_digit)),
    ),
    Kind(
        name="rendered-length",
        base="control-measured",
        what="The manifest gives the text another length, and the events are mended.",
        why="The manifest is that of this text.",
        fails=("rendered-hash",),
        change=mended_events(edit(MANIFEST, ("rendered", "bytes"), more)),
    ),
    Kind(
        name="rendered-file",
        base=_BOUND,
        what="The manifest calls the text by another name, and the events are mended.",
        why="A layout has one name for its text.",
        fails=("rendered-hash",),
        change=mended_events(put(MANIFEST, ("rendered", "file"), "input.json")),
    ),
    Kind(
        name="request-digest",
        base=_BOUND,
        what="The manifest names another request, and the events are mended.",
        why="The manifest is that of this request.",
        fails=("request-hash",),
        change=mended_events(edit(MANIFEST, ("request", "sha256"), other_digit)),
    ),
    Kind(
        name="request-length",
        base="tool-numbers",
        what="The manifest gives the request another length, and the events are mended.",
        why="The manifest is that of this request.",
        fails=("request-hash",),
        change=mended_events(edit(MANIFEST, ("request", "bytes"), more)),
    ),
    Kind(
        name="section-moved",
        base=_BOUND,
        what="The work record begins one byte earlier, and the events are mended.",
        why="A section reaches from its heading to the next.",
        fails=("sections",),
        change=mended_events(edit(MANIFEST, ("sections", 4, "start"), lambda start: start - 1)),
    ),
    Kind(
        name="section-renamed",
        base="freshness",
        what="The evidence is called work, and the events are mended.",
        why="Evidence informs; the work record is the host's own.",
        fails=("sections",),
        change=mended_events(put(MANIFEST, ("sections", 3, "section"), "work")),
    ),
    Kind(
        name="section-invented",
        base="control-measured",
        what="A text without sections is given one, and the events are mended.",
        why="Only one layout has sections.",
        fails=("sections",),
        change=mended_events(
            put(MANIFEST, ("sections",), [{"section": "policy", "start": 0, "end": 55}])
        ),
    ),
)
