"""Every setting that Codex 0.171.0 knows, with what it takes. Measured; see `codex_shapes`."""

from __future__ import annotations

from typing import Final

KNOWN: Final = """\
project_doc_fallback_filenames list
project_doc_fallback_filenames.[] text
project_doc_max_bytes u64
project_root_markers list
project_root_markers.[] text
projects table
projects.* table|list
projects.*.trust_level (trusted,untrusted)
"""
