"""Each reason of a ledger row, explained to a person: what it means, and what to do."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, tuple[str, str]]] = {
    "access-denied": (
        "A rule of the read grant closes this path; it was never opened.",
        "Name another file, or change the rule where it stands: `read.deny` and `read.allow` of "
        "host manifest and profile.",
    ),
    "path-not-utf8": ("The file's name is not UTF-8, so no rule can speak of it.", "Rename it."),
    "turned-away": (
        "The room that found it refused it; its row names the finding.",
        "`assembler explain CODE` says what the finding means.",
    ),
    "sealed-id": ("A seal of the task names this very item.", "Lift the seal, or do without."),
    "sealed-lineage": (
        "The item descends from something that a seal names.",
        "Lift the seal, or do without; a seal wins over a requirement.",
    ),
    "not-valid-then": (
        "The item holds for other dates than the asked ones (`as_of`).",
        "Ask for a date inside its interval, or offer the version that held then.",
    ),
    "expired": ("Its expiry lies before the reference time.", "Get it anew, or give --now."),
    "off-topic": (
        "It shares no topic with the task.",
        "Correct the topics of the task, or those of the item.",
    ),
    "freshness-unknown": (
        "What it is held to is gone or could not be read, so nobody knows whether it holds.",
        "Name the place where it stands now, or make the source readable.",
    ),
    "stale": (
        "A source that it was made from has other bytes now.",
        "Make it anew; the source's section was read again in its place where it could be.",
    ),
    "no-decision-value": (
        "It can change no decision of this task: a search hit is known and not admitted.",
        "Name the file under `evidence` in the task, or as a target.",
    ),
    "content-absent": (
        "There are no bytes: it was not found, or could not be read.",
        "Correct the path, the lines, or the text that was looked for.",
    ),
    "not-found": (
        "Nothing of that name, those lines or that text is there.",
        "Correct the path, the lines, or the text that was looked for.",
    ),
    "git-ignored": (
        "A search for names would have found it, and a rule of git's ignore files leaves it out; "
        "it was not opened.",
        "Name the file under `evidence` or as a target: what a task names enters, ignored or not.",
    ),
    "size-limit": (
        "The file is larger than is read of any one thing, or holds one white-space run too long.",
        "Name its lines in a smaller file, or hand in the part that matters.",
    ),
    "layout-excludes": (
        "The layout of the run has no place for it; `why` says what is missing.",
        "Give it what the place asks for (an `address`, text, an example of two strings), use "
        "the layout assembler-input/1, or leave it out.",
    ),
    "already-resident": ("The same bytes stand in the policy already.", "None is needed."),
    "duplicate-content": ("The same bytes are in under another name.", "None is needed."),
    "group-incomplete": (
        "It belongs to a group that enters whole or not at all, and another member is out.",
        "See why the other member is out.",
    ),
    "budget-exceeded": (
        "It does not fit beside what was admitted before it; nothing is shortened to fit.",
        "Raise `window`, lower a reserve, name fewer lines, or require it (a group: every member).",
    ),
    "required": ("It is required and in.", "None is needed."),
    "fits": ("It is optional and fits.", "None is needed."),
}


def fix_of_denial(rule: str) -> str:
    """What lifts a rule of the read grant, or that nothing but another file helps."""
    layer, _, pattern = rule.removeprefix("source ").partition(":")
    match layer:
        case "host-deny":
            return (
                f"name another file; the host manifest lifts it: `read: {{deny: ['!{pattern}']}}`"
            )
        case "profile-deny":
            return f"name another file, or take {pattern} out of `read.deny` of the profile"
        case "not-in":
            who = "the profile" if pattern.startswith("profile") else "the host manifest"
            return f"name another file, or add it to `read.allow` of {who}"
        case _:
            return REASONS["access-denied"][1]
