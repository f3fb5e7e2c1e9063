"""A secret stands in no member of a candidate that was swept, whatever the member is for."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.adapters.secret_scan import scan_secrets
from assembler.assess.secrets import withhold_secrets
from assembler.model.candidate import Absent, Address, Candidate, FreshnessEntry, Inline
from assembler.model.canonical import canonical_record
from assembler.model.digest import sha256_hex
from tests.builders.secrets import make_tokens

TOKEN = make_tokens(11)["github-token"][0]
UNREAD = Absent("unread")


def item(name: str = "record:a", **members: Any) -> Candidate:
    made = Candidate(
        id=name, kind="record", section="evidence", trust="repository", content=UNREAD
    )  # fmt: skip
    return made._replace(**members)


MEMBERS: list[dict[str, Any]] = [
    {"address": Address("a", TOKEN, 1, 1)},
    {"address": Address(TOKEN, "1", 1, 1)},
    {"replaces": (f"record:{TOKEN}",)},
    {"replaces": (TOKEN,)},
    {"conflicts_with": (f"record:{TOKEN}", "record:b")},
    {"refreshed_by": f"file:{TOKEN}"},
    {"refreshed_by": f"{TOKEN}:x"},
    {"freshness": (FreshnessEntry(TOKEN, "0" * 64, None),)},
    {"topics": (TOKEN,)},
    {"lineage": (TOKEN,)},
    *({name: TOKEN} for name in ("source", "scope", "version", "revision", "discovered_by")),
    *({name: TOKEN} for name in ("refresh", "decides", "group")),
]


@pytest.mark.parametrize("members", MEMBERS, ids=lambda members: str(*members))
def test_member__that_is_a_secret_is_withheld(members: dict[str, Any]) -> None:
    swept, _ = withhold_secrets([item(**members)], {}, scan_secrets)
    assert TOKEN.encode() not in canonical_record([one.to_json() for one in swept])
    assert len(swept) == 1


def test_item__that_is_called_like_a_secret_is_named_by_others_as_it_is_called_now() -> None:
    name = f"record:{TOKEN}"
    items = [item(name), item("record:b", replaces=(name,), conflicts_with=(name,))]
    swept, renamed = withhold_secrets(items, {}, scan_secrets)
    expected = f"record:sha256:{sha256_hex(name.encode())}"
    assert renamed == {name: expected}
    assert swept[0].id == expected
    assert swept[1].replaces == swept[1].conflicts_with == (expected,)


def test_digest__of_a_text_with_a_secret_is_forgotten_where_the_run_made_it() -> None:
    secret = f"{TOKEN}\n".encode()
    made, other = sha256_hex(secret), "0" * 64
    items = [
        item("file:a", content=Inline(secret), freshness=(FreshnessEntry("a", made, other),)),
        item("file:a@r1", freshness=(FreshnessEntry("a", other, made),)),
        item("summary:s", freshness=(FreshnessEntry("a", made, made),)),
        item("summary:t", freshness=(FreshnessEntry("b", other, "1" * 64),)),
    ]
    swept, _ = withhold_secrets(items, {}, scan_secrets)
    assert [one.freshness for one in swept] == [
        (),
        (FreshnessEntry("a", other, None),),
        (FreshnessEntry("a", made, made),),
        (FreshnessEntry("b", other, "1" * 64),),
    ]
