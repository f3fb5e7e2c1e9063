"""Every finding code with its slug and severity, and the words that explain it.

The short table is loaded with every finding; the texts only when somebody asks for them.
Numbers are never reused. The slug of a code is also the `code` of a turned-away ledger row.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

_E: Final = "error"
_W: Final = "warning"
_N: Final = "note"

RULES: Final[dict[str, tuple[str, Literal["error", "warning", "note"]]]] = {
    "ASM101": ("chain-cut", _E),
    "ASM102": ("chain-lost", _E),
    "ASM103": ("blank-override", _W),
    "ASM104": ("override-hides", _N),
    "ASM105": ("instructions-below-start", _W),
    "ASM106": ("link-leaves-repository", _E),
    "ASM107": ("instruction-unreadable", _E),
    "ASM108": ("wrong-case-name", _W),
    "ASM109": ("not-a-file", _W),
    "ASM110": ("invalid-utf8", _E),
    "ASM111": ("untrusted-project", _W),
    "ASM112": ("local-instructions", _N),
    "ASM113": ("link-as-text", _E),
    "ASM114": ("same-file-twice", _N),
    "ASM115": ("no-project-root", _N),
    "ASM116": ("other-agents-file", _N),
    "ASM117": ("combined-over-limit", _W),
    "ASM118": ("global-unreadable", _W),
    "ASM119": ("agent-config-ignored", _W),
    "ASM120": ("confusable-name", _W),
    "ASM121": ("hard-linked", _W),
    "ASM122": ("linked-start", _W),
    "ASM123": ("hollow-git", _W),
    "ASM124": ("root-is-home", _W),
    "ASM125": ("outside-root", _N),
    "ASM126": ("agent-permissions", _W),
    "ASM127": ("agent-config-here", _N),
    "ASM128": ("limit-zero", _W),
    "ASM129": ("access-denied", _E),
    "ASM130": ("secret-linked", _W),
    "ASM131": ("agents-file-switched-off", _W),
    "ASM132": ("import-outside-gate", _W),
    "ASM133": ("order-by-path-bytes", _N),
    "ASM134": ("order-by-directory-listing", _N),
    "ASM135": ("settings-not-read-here", _W),
    "ASM136": ("one-name-for-the-walk", _W),
    "ASM137": ("import-missing", _W),
    "ASM138": ("import-too-deep", _W),
    "ASM139": ("link-loop-loses-name", _W),
    "ASM140": ("agent-does-not-start", _W),
    "ASM141": ("rule-front-matter", _W),
    "ASM142": ("outer-checkout", _N),
    "ASM143": ("order-nearest-first", _N),
    "ASM144": ("import-ending", _W),
    "ASM145": ("listed-missing", _W),
    "ASM146": ("memory-cut", _W),
    "ASM147": ("url-not-asked", _N),
    "ASM148": ("switched-off", _N),
    "ASM149": ("read-by-some", _N),
    "ASM150": ("never-loaded", _W),
    "ASM201": ("skill-no-front-matter", _E),
    "ASM202": ("skill-yaml", _E),
    "ASM203": ("skill-yaml-repaired", _W),
    "ASM204": ("skill-name", _E),
    "ASM205": ("skill-name-folder", _W),
    "ASM206": ("skill-description", _E),
    "ASM207": ("skill-name-taken", _W),
    "ASM208": ("skill-long", _N),
    "ASM209": ("skill-reference-escapes", _E),
    "ASM210": ("skill-pin-broken", _E),
    "ASM211": ("catalog-over-budget", _W),
    "ASM212": ("skill-tool-unknown", _W),
    "ASM213": ("skill-unreadable", _E),
    "ASM214": ("skill-nested", _N),
    "ASM215": ("skill-field", _W),
    "ASM216": ("skill-scan-bounded", _E),
    "ASM217": ("repository-untrusted", _E),
    "ASM218": ("skill-reference-missing", _E),
    "ASM219": ("skill-file-unreadable", _W),
    "ASM220": ("skill-missing", _W),
    "ASM221": ("skill-file-skipped", _W),
    "ASM222": ("skill-description-cut", _W),
    "ASM223": ("skill-rule-idle", _W),
    "ASM224": ("bundled-skills-missing", _N),
    "ASM225": ("untrusted-skills", _W),
    "ASM226": ("skill-linked-outside", _W),
    "ASM227": ("skill-list-off", _N),
    "ASM228": ("skill-root-missing", _W),
    "ASM229": ("skill-mention-unknown", _W),
    "ASM231": ("skill-name-look-alike", _W),
    "ASM232": ("skill-yaml-strict", _W),
    "ASM233": ("skill-byte-order-mark", _W),
    "ASM234": ("skill-value-comment", _W),
    "ASM236": ("skill-name-race", _W),
    "ASM237": ("skill-place-skipped", _W),
    "ASM238": ("skills-not-read-here", _W),
    "ASM239": ("skill-description-from-body", _N),
    "ASM240": ("skill-field-ignored", _W),
    "ASM301": ("tool-pin-missing", _E),
    "ASM302": ("tool-pin-broken", _E),
    "ASM303": ("tool-new", _N),
    "ASM304": ("tool-missing", _E),
    "ASM305": ("tool-name-collision", _E),
    "ASM306": ("tool-listing-invalid", _E),
    "ASM307": ("server-text-changed", _E),
    "ASM308": ("tool-name", _E),
    "ASM309": ("server-not-allowed", _N),
    "ASM310": ("server-launch-differs", _W),
    "ASM311": ("server-declaration-invalid", _W),
    "ASM312": ("tool-definition-invalid", _E),
    "ASM313": ("tool-listing-partial", _E),
    "ASM314": ("server-unavailable", _E),
    "ASM315": ("tool-reference-outside", _W),
    "ASM316": ("server-launch-changed", _E),
    "ASM317": ("tool-removed", _W),
    "ASM401": ("required_local_policy_missing", _E),
    "ASM402": ("stale_source_selected", _E),
    "ASM403": ("budget_displaced_failure_evidence", _E),
    "ASM404": ("consumed-not-visible", _W),
    "ASM405": ("provenance-lost", _W),
    "ASM406": ("precedence-wrong", _W),
    "ASM407": ("budget-overdrawn", _W),
    "ASM408": ("policy-twice", _N),
    "ASM409": ("stale-decision", _W),
    "ASM501": ("budget-unsatisfiable", _E),
    "ASM502": ("turn-exceeds-window", _W),
    "ASM503": ("tool-pair-parted", _E),
    "ASM504": ("summary-unsupported", _W),
    "ASM601": ("hidden-characters", _E),
    "ASM602": ("secret-in-text", _E),
    "ASM603": ("delimiter-in-text", _W),
    "ASM604": ("invisible-characters", _W),
    "ASM605": ("html-comment", _N),
    "ASM606": ("conflict-markers", _W),
    "ASM607": ("evidence-instruction-text", _W),
    "ASM608": ("evidence-claims-authority", _W),
    "ASM609": ("evidence-hidden-characters", _W),
    "ASM701": ("lock-stale", _W),
    "ASM702": ("profile-widens-host", _E),
    "ASM703": ("policy-differs", _N),
    "ASM704": ("revision-unavailable", _W),
    "ASM705": ("exception-unused", _N),
}
"""Slug and usual severity by code. ASM308 and ASM312 are notes where the tool is not
allowed anyway, ASM607 where a file of the repository speaks of what manuals speak of, ASM609
where control characters alone are hidden; ASM703 is a warning where a gate tells it."""


class Explanation(NamedTuple):
    """One code, explained to a person."""

    code: str
    slug: str
    severity: str
    meaning: str
    why: str
    example: str
    fix: str


def find_code(name: str) -> str | None:
    """The code of a code or a slug, whatever the case of its letters; None if there is none."""
    wanted = name.upper()
    if wanted in RULES:
        return wanted
    slug = name.lower()
    return next((code for code, (known, _) in RULES.items() if known == slug), None)


def explain_code(name: str) -> Explanation | None:
    """The explanation of a code or a slug; None if the catalogue does not have it."""
    code = find_code(name)
    if code is None:
        return None
    from assembler.model.catalogue_texts import TEXTS

    slug, severity = RULES[code]
    meaning, why, example, fix = TEXTS[code]
    return Explanation(code, slug, severity, meaning, why, example, fix)
