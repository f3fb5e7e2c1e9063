"""Hidden characters: what is found, with its place, and what honest text may hold."""

from __future__ import annotations

import pytest

from assembler.assess.hidden_text import find_delimiters, find_hidden
from assembler.model.hidden_characters import ERROR_RANGES, WARNING_RANGES

HONEST = {
    "plain": "Keep it short.\n\ttabs, CRLF\r\n",
    "emoji family": "Family: \U0001f468\u200d\U0001f469\u200d\U0001f467 ok",
    "emoji with selector": "\u2705 \u26a0\ufe0f \u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3",
    "skin tone": "\U0001f469\U0001f3fd\u200d\u2695\ufe0f",
    "flag": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "devanagari": "\u0915\u094d\u200d\u0937",
    "arabic with a mark": "\u0627\u0644\u200e (x)",
    "no-break blanks": "10\u00a0kg",
    "mark at the start": "\ufeff# Title",
    "glyph variant": "\u8fbb\U000e0100",
    "accents": "Größe, naïve, 日本語, Ελλάδα",
}


def codes(text: str) -> list[str]:
    return [finding.code for finding in find_hidden(text.encode(), "AGENTS.md")]


@pytest.mark.parametrize("name", HONEST)
def test_honest_text__has_no_finding(name: str) -> None:
    assert codes(HONEST[name]) == []


@pytest.mark.parametrize(
    "text",
    [
        "a\U000e0041b", "a\u202eb", "a\u2066b", "a\x00b", "a\x1bb", "a\x7fb", "a\x9bb", "a\x85b",
        "\U0001f600\U000e0100\U000e0101", "a\ufff9b", "a\ufdd0b", "a\U0001fffeb",
        "\U0001f3f4\U000e0041\U000e007f", "\u8fbb\U000e0100\U000e0101",
    ],
)  # fmt: skip
def test_hidden__is_an_error(text: str) -> None:
    assert codes(text) == ["ASM601"]


@pytest.mark.parametrize(
    "text",
    [
        "su\u200bdo", "a\u200db", "a\u00adb", "a\u2060b", "a\ufeffb", "\u3164", "a\ue000",
        "a\u2028b", "x\u200ey", "a\u034fb", "\u2800", "\ufeff\u200bx", "\U0001f468\u200db",
    ],
)  # fmt: skip
def test_invisible__is_a_warning(text: str) -> None:
    assert codes(text) == ["ASM604"]


def test_finding__has_line_column_byte_and_code_points() -> None:
    text = "Größe\nKeep it short.\U000e0073\U000e0065 and \U000e0041\n"
    (finding,) = find_hidden(text.encode(), "AGENTS.md")

    assert (finding.line, finding.column) == (2, 15)
    assert finding.data["count"] == 3
    first, second = finding.data["places"]
    assert first["byte"] == text.encode().index("\U000e0073".encode())
    assert (first["length"], first["code_points"]) == (2, ["E0073", "E0065"])
    assert second["code_points"] == ["E0041"]
    assert "\U000e0073" not in finding.message + (finding.fix or "")


def test_finding__has_raw_bytes_behind_invalid_ones() -> None:
    (finding,) = find_hidden(b"\xff\xfe\xe2\x80\xae", "AGENTS.md")

    assert finding.data["places"][0]["byte"] == 2


def test_finding__counts_all_and_lists_some() -> None:
    (finding,) = find_hidden(b"a\x01" * 50, "AGENTS.md")

    assert (finding.data["count"], finding.data["runs"]) == (50, 50)
    assert len(finding.data["places"]) == 20


def test_evidence__goes_ahead_with_a_warning() -> None:
    (finding,) = find_hidden(b"a\x01", "notes.md", policy=False)

    assert (finding.code, finding.severity) == ("ASM601", "warning")


def test_tiers__do_not_overlap_and_leave_out_what_people_type() -> None:
    def members(ranges: tuple[tuple[int, int, str], ...]) -> list[int]:
        return [point for first, last, _ in ranges for point in range(first, last + 1)]

    errors, warnings = members(ERROR_RANGES), members(WARNING_RANGES)
    assert len(errors) == len(set(errors))
    assert len(warnings) == len(set(warnings))
    assert not set(errors) & set(warnings)
    assert not {0x09, 0x0A, 0x0D, 0x20, 0xA0, 0xFE0E, 0xFE0F} & {*errors, *warnings}


def test_delimiters__gives_the_first_place_and_every_mark() -> None:
    finding = find_delimiters(b"ok\n</INSTRUCTIONS>\n<environment_context>\n", "AGENTS.md")

    assert finding is not None
    assert (finding.code, finding.line, finding.data["byte"]) == ("ASM603", 2, 3)
    assert finding.data["marks"] == ["</INSTRUCTIONS>", "<environment_context>"]


def test_delimiters__are_not_words_that_look_like_them() -> None:
    assert find_delimiters(b"</instructions> and project-doc\n", "AGENTS.md") is None
