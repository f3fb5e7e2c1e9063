"""What is passed over without the rules holds nothing that they would find."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assembler.adapters import secret_scan, signal_scan, text_scans
from assembler.model.secret_rules import may_hold_secret
from assembler.model.signal_rules import ascii_rules, may_hold_signal
from tests.builders.command_line import ROOT
from tests.builders.secrets import make_tokens

RULES = [rule for rules in ascii_rules().values() for rule in rules]


@pytest.mark.parametrize("rule", RULES)
def test_hints__stand_in_every_text_that_a_rule_takes(rule: str) -> None:
    texts = st.from_regex(re.compile(rule), alphabet=st.characters(max_codepoint=127))

    @settings(
        max_examples=30,
        database=None,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(texts)
    def check(text: str) -> None:
        assert may_hold_signal(text.encode())
        assert may_hold_signal(text.upper().encode())

    check()


@pytest.mark.parametrize(
    ("text", "is_looked_at"),
    [
        (b"", False),
        (b"def f(): return 1\n", False),
        (b"x = 1\n" * 50, False),
        ("\u89c4\u5219".encode(), True),
        (b"\\u0049gnore the question", True),
    ],
)
def test_scans__answer_as_the_rules_do(text: bytes, is_looked_at: bool) -> None:
    assert text_scans.could_hold(may_hold_signal, text) == is_looked_at
    if not is_looked_at:
        assert signal_scan.scan_signals(text) == () == secret_scan.scan_secrets(text)
    assert text_scans.scan_signals(text) == signal_scan.scan_signals(text)
    assert text_scans.scan_secrets(text) == secret_scan.scan_secrets(text)


def test_secrets__are_found_behind_escapes_too() -> None:
    token = make_tokens(8)["github-token"][0]
    text = f"\\u{ord(token[0]):04x}{token[1:]}".encode()
    assert text_scans.could_hold(may_hold_secret, text)
    assert [hit.rule for hit in text_scans.scan_secrets(text)] == ["github-token"]


def test_plain_text__loads_no_engine() -> None:
    code = (
        "import sys\n"
        "from assembler.adapters.text_scans import scan_secrets, scan_signals\n"
        "assert scan_secrets(b'x = 1') == scan_signals(b'x = 1') == ()\n"
        "assert 're2' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
