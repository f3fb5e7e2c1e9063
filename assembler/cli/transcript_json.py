"""A transcript's sizes, verdict and rewrite as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from assembler.model.digest import sha256_hex
from assembler.transcript.ladder import calibrate, front_tokens
from assembler.transcript.visible import positions_of

if TYPE_CHECKING:
    from assembler.front.rewriting import Compacted
    from assembler.front.transcripts import Checked, Weighed
    from assembler.transcript.ladder import Rung

SCHEMA: Final = "assembler/transcript/1"


def checked_to_json(checked: Checked) -> dict[str, Any]:
    """What `transcript check` says; members in docs/formats/trace.md."""
    weighed, turn = checked.weighed, checked.turn
    limits, outlook = checked.limits, checked.outlook
    estimator = calibrate(weighed.ladder)
    return {
        **_weighed_to_json(weighed),
        "limits": None if limits is None else limits._asdict(),
        "verdict": None if outlook is None else outlook.verdict,
        "after_rewrite": None if outlook is None else outlook.after_rewrite,
        "ladder": [rung_to_json(weighed, rung) for rung in weighed.ladder.rungs],
        "shares": [{"class": name, "tokens": tokens} for name, tokens in checked.shares.items()],
        "waiting": [_frame_to_json(weighed, index) for index in checked.waiting],
        "largest_turn": None if turn is None else turn._asdict(),
        "estimator": None if estimator is None else estimator._asdict(),
        "findings": [finding.to_json() for finding in checked.findings],
    }


def compacted_to_json(compacted: Compacted) -> dict[str, Any]:
    """What `transcript compact` says; members in docs/formats/trace.md."""
    from assembler.model.transcript import runs_of

    weighed, rewrite = compacted.weighed, compacted.rewrite
    limits, carried = compacted.limits, compacted.carried
    positions = positions_of(weighed.ladder.shown)

    def rows(indexes: Iterable[int]) -> list[dict[str, Any]]:
        return [
            {"position": positions[index], **_frame_to_json(weighed, index)} for index in indexes
        ]

    return {
        **_weighed_to_json(weighed),
        "limits": None if limits is None else limits._asdict(),
        "allowed_cuts": [list(run) for run in runs_of(cut - 1 for cut in compacted.allowed)],
        "rewrite": None
        if rewrite is None
        else {
            "cut": rewrite.cut._asdict(),
            "before": rewrite.before,
            "after": rewrite.after,
            "fits": rewrite.fits(limits),
            "kept": rows((*rewrite.head, *rewrite.tail)),
            "dropped": rows(rewrite.dropped),
            "dropped_frames": [list(run) for run in runs_of(rewrite.dropped)],
        },
        "fitting_cut": compacted.fitting_cut,
        "summary": None
        if compacted.summary is None
        else {
            "sha256": sha256_hex(compacted.summary.encode("utf-8")),
            "tokens": compacted.summary_tokens,
            "trust": "derived",
            "carried": None if carried is None else carried._asdict(),
        },
        "findings": [finding.to_json() for finding in compacted.findings],
    }


def _weighed_to_json(weighed: Weighed) -> dict[str, Any]:
    transcript, ladder = weighed.transcript, weighed.ladder
    return {
        "form": transcript.form,
        "entries": transcript.entries,
        "parts_dropped": dict(transcript.parts_dropped),
        "counter": weighed.counter,
        "resident": front_tokens(transcript, ladder),
        "context": {"tokens": ladder.context, "basis": ladder.basis},
    }


def rung_to_json(weighed: Weighed, rung: Rung) -> dict[str, Any]:
    """A rung, with the entries that came in."""
    frames = weighed.transcript.frames
    return {
        "entries": sorted({frames[index].entry for index in rung.frames}),
        "label": rung.label,
        "increment": rung.increment,
        "context": rung.context,
        "basis": rung.basis,
        "estimated_increment": rung.estimated_increment,
    }


def _frame_to_json(weighed: Weighed, index: int) -> Mapping[str, Any]:
    """Where a frame stands, and its digest: what was dropped can be found and checked again."""
    frame = weighed.transcript.frames[index]
    return {
        "entry": frame.entry,
        "kind": frame.kind,
        "tool": frame.tool,
        "tokens": weighed.ladder.sizes[index],
        "sha256": sha256_hex(frame.text.encode("utf-8")),
    }
