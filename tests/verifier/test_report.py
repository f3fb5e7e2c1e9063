from __future__ import annotations

from assembler_verifier.report import Claim, Claims, Report, printable


def test_printable__gives_ascii_in_quotation_marks() -> None:
    assert printable("a b") == '"a b"'
    assert printable('"\\\n\x1b\x7f') == '"\\u{22}\\u{5c}\\u{a}\\u{1b}\\u{7f}"'
    assert printable("é\u202e\U0001f600\udcff") == '"\\u{e9}\\u{202e}\\u{1f600}\\u{dcff}"'
    assert printable("x" * 100) == '"' + "x" * 80 + '"...'


def test_report__never_counts_unchecked_as_passed() -> None:
    claims = Claims()
    claims.passed("one")
    claims.unchecked("two", "no reason")
    report = Report("Package abc", "abc", claims.in_order(["one", "two", "three"]))
    assert report.holds
    assert report.exit_code == 0
    assert report.to_text().splitlines() == [
        "Package abc holds: 3 claims, 0 failed, 2 not checked",
        "  not checked   two: no reason",
        "  not checked   three: an earlier check broke",
    ]


def test_report__lists_failures_first_and_aligned() -> None:
    claims = Claims()
    claims.judge("long-name", ["here", "there", "1", "2", "3"])
    claims.failed("b", "why")
    report = Report("Package abc", None, claims.in_order(["b", "long-name"]))
    assert report.exit_code == 1
    assert report.failed == ["b", "long-name"]
    assert report.of("failed")[0] == Claim("b", "failed", "why")
    assert report.to_text().splitlines() == [
        "Package abc does NOT hold: 2 claims, 2 failed, 0 not checked",
        "  FAIL  b           why",
        "  FAIL  long-name   here; there; 1; 2 (and 1 more)",
    ]


def test_report__says_what_a_passed_check_has_to_say() -> None:
    claims = Claims()
    claims.passed("quiet")
    claims.passed("telling", "event 8 of 10")
    report = Report("Store", None, claims.in_order(["quiet", "telling"]))
    assert report.to_text().splitlines()[1:] == ["  passed   telling: event 8 of 10"]
