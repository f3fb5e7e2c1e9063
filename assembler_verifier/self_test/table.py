"""All kinds of corruption, in the order of the report."""

from __future__ import annotations

from assembler_verifier.self_test.kind import Kind
from assembler_verifier.self_test.kinds_chain_links import LINK_KINDS
from assembler_verifier.self_test.kinds_chain_rules import RULE_KINDS
from assembler_verifier.self_test.kinds_decisions import DECISION_KINDS
from assembler_verifier.self_test.kinds_events import EVENT_KINDS
from assembler_verifier.self_test.kinds_files import FILE_KINDS
from assembler_verifier.self_test.kinds_inventory import INVENTORY_KINDS
from assembler_verifier.self_test.kinds_manifest import MANIFEST_KINDS
from assembler_verifier.self_test.kinds_rendering import RENDERING_KINDS
from assembler_verifier.self_test.kinds_request import REQUEST_KINDS
from assembler_verifier.self_test.kinds_rows import ROW_KINDS
from assembler_verifier.self_test.kinds_states import STATE_KINDS

KINDS: tuple[Kind, ...] = (
    *FILE_KINDS,
    *INVENTORY_KINDS,
    *ROW_KINDS,
    *DECISION_KINDS,
    *STATE_KINDS,
    *MANIFEST_KINDS,
    *RENDERING_KINDS,
    *REQUEST_KINDS,
    *EVENT_KINDS,
    *LINK_KINDS,
    *RULE_KINDS,
)
