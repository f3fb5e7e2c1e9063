"""Secrets are found by rule and line, and what only looks like one is let be."""

from __future__ import annotations

import hashlib
import random
import time
import uuid

import pytest

from assembler.adapters.secret_scan import MAX_HITS, scan_secrets
from assembler.model.secret_rules import SECRET_RULES, may_hold_secret
from tests.builders.secrets import make_tokens

TOKENS = make_tokens(7)
EACH = [(rule, token) for rule, tokens in TOKENS.items() for token in tokens]
IDS = [f"{rule}-{number}" for number, (rule, _) in enumerate(EACH)]


def test_rules__all_have_a_token_here() -> None:
    assert set(TOKENS) == set(SECRET_RULES)


@pytest.mark.parametrize(("rule", "token"), EACH, ids=IDS)
def test_token__is_found_by_its_rule_and_line(rule: str, token: str) -> None:
    for text in (f"a\nb {token}\n", f"a\n'{token}'", f"a\n({token}),", f"é\n{token}"):
        data = text.encode()
        assert [(hit.rule, hit.line) for hit in scan_secrets(data)] == [(rule, 2)], text
        assert may_hold_secret(data)


@pytest.mark.parametrize("seed", range(20))
def test_token__of_any_text_is_found(seed: int) -> None:
    for rule, tokens in make_tokens(seed).items():
        for token in tokens:
            assert rule in {hit.rule for hit in scan_secrets(token.encode())}, rule


@pytest.mark.parametrize(("rule", "token"), EACH, ids=IDS)
def test_token__with_something_invisible_inside_is_found(rule: str, token: str) -> None:
    middle = len(token) - 3
    for hidden in ("\u200b", "\u2060\u200d", "\U000e0041", "\u00ad"):
        text = f"a\n{token[:middle]}{hidden}{token[middle:]}\n"
        assert (rule, 2) in [(hit.rule, hit.line) for hit in scan_secrets(text.encode())]


def honest_texts() -> list[str]:
    chooser = random.Random(3)
    digest = hashlib.sha256(b"x").hexdigest()
    integrity = f"sha512-{''.join(chooser.choice('abcDEF+/123') for _ in range(86))}=="
    return [
        digest, digest[:40], f"commit {digest[:40]}", str(uuid.UUID(int=5)), integrity,
        "password: str", "${DB_PASSWORD}", "api_key = os.environ['API_KEY']",
        "ghp_" + "x" * 36, "AKIAIOSFODNN7EXAMPLE", "sk_test_" + "0" * 24,
        "-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "npm_config_registry",
        "the sk-ant- prefix", "aws_secret_access_key = <yours>", "xoxb-", "SG.com.example",
        "AccountKey=...", "eyJhbGciOi.J9", "hf_hub_download", "glob-pattern-of-many-letters",
        "ACCESS" + "0" * 32, "MNO.abc.def", "dapi.example.com", "hvs.rs", "shp_1",
    ]  # fmt: skip


@pytest.mark.parametrize("text", honest_texts())
def test_text__without_a_secret_is_let_be(text: str) -> None:
    assert scan_secrets(f"a {text} b\n".encode()) == ()


def test_own_files__hold_none() -> None:
    from tests.builders.command_line import ROOT

    for path in sorted(ROOT.glob("**/*.md")):
        if ".venv" not in path.parts and ".servers" not in path.parts:
            assert scan_secrets(path.read_bytes()) == (), path


@pytest.mark.parametrize(
    "unit", ["sk-ant-", "eyJaaaaaaaaaaa.", "ghp_", "A", "sk-", "hvs.", "xoxb-"]
)
def test_time__grows_with_the_text_alone(unit: str) -> None:
    def seconds(size: int) -> float:
        data = (unit * (size // len(unit))).encode()
        began = time.process_time()
        scan_secrets(data)
        return time.process_time() - began

    seconds(1_000)
    small, large = seconds(250_000), seconds(2_500_000)
    # Ten times the text; a square would be a hundred times.
    assert large < 40 * small + 0.2


def test_text_full_of_secrets__is_told_as_far_as_the_bound() -> None:
    token = make_tokens(3)["github-token"][0]
    data = (f"{token}\n" * (MAX_HITS + 5)).encode()
    hits = scan_secrets(data)
    assert [hit.line for hit in hits] == list(range(1, MAX_HITS + 1))
    assert len(scan_secrets(data[: -6 * (len(token) + 1)])) == MAX_HITS - 1
