"""Each refusal of a run, explained to a person: what it means, and what to do.

The codes are those of docs/formats/decisions.md, and the two that come before a run.
"""

from __future__ import annotations

from typing import Final

REFUSALS: Final[dict[str, tuple[str, str]]] = {
    "required-missing": (
        "Required ids that nothing offered has.",
        "Correct the id, offer the item, or take it out of `required`.",
    ),
    "required-rejected": (
        "A check rejects a required item: a seal, a date, staleness, a rule of the read grant.",
        "A check wins over a requirement; drop one of the two.",
    ),
    "layout-cannot-hold": (
        "Two required items want a place of the layout that holds one.",
        "Require one of them, or use the layout assembler-input/1.",
    ),
    "counter-unavailable": (
        "The vocabulary that the budget names is unknown or not at hand.",
        "Name o200k_base, cl100k_base, code-points, utf8-bytes or declared.",
    ),
    "size-undeclared": (
        "Sizes are declared, and an item has none in the budget's unit when its cost is needed.",
        "Declare its size, or name a counter that measures.",
    ),
    "content-unresolved": (
        "An item is selected, or has to be counted, and no bytes stand behind its id.",
        "Offer its content, or make it optional.",
    ),
    "resident-unsatisfiable": (
        "Required policy, task, tools and work record alone exceed the input envelope.",
        "Raise `window`, lower a reserve, or load less.",
    ),
    "budget-unsatisfiable": (
        "The required evidence alone exceeds the room that the residents leave.",
        "Raise `window`, lower a reserve, or make an item optional.",
    ),
    "tool-content-unfit": (
        "A selected tool is no canonical JSON of name, description and inputSchema.",
        "Turn the tool away, or mend its definition.",
    ),
    "tool-name-unfit": (
        "A selected tool has a name that requests refuse: letters, digits, _ and -, at most 64.",
        "Turn the tool away, or ask its author.",
    ),
    "tool-name-collision": (
        "Two selected tools have one name, and a request has one place for it.",
        "Allow one of the two.",
    ),
    "count-mismatch": (
        "The whole input counts something else than its parts; a vocabulary merges across items.",
        "Report it: nothing was made.",
    ),
    "adapter-incomplete": (
        "The request form needs a model, or an output limit, that was not given.",
        "Give --model NAME and a response reserve; in an inventory `adapter`.",
    ),
    "output-over-reserve": (
        "More output is asked for than the reserve `response` keeps free.",
        "Raise the reserve, or ask for less.",
    ),
    "request-mismatch": (
        "A body does not carry exactly the rendered text; nothing is sent.",
        "Send the body that was recorded, unchanged.",
    ),
    "transition-required": (
        "A continued run would change instruction files, skills or tools that were pinned.",
        "Look at the change, then say why it is meant: --because TEXT.",
    ),
    "lock-stale": (
        "Policy is not what the lock file records, and --locked was asked for.",
        "Look at what changed (`assembler lock --check`), then lock it again: `assembler lock`.",
    ),
    "profile-widens-host": (
        "A profile of the repository asks for more than the host manifest grants.",
        "Narrow the profile, or widen the host manifest.",
    ),
}
