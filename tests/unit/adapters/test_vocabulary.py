"""Token counts: real, offline, verified, from memory where they are known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken

from assembler.adapters import vocabulary as module
from assembler.adapters.count_cache import CountCache
from assembler.adapters.counters import open_plain_counter
from assembler.adapters.vocabulary import (
    VOCABULARIES,
    find_tiktoken_version,
    load_encoding,
    open_counter,
)
from assembler.errors import CounterUnavailableError

ROOT = Path(__file__).parents[3]


def upstream(name: str) -> dict[str, object]:
    """What tiktoken's own constructors say of an encoding, without loading its ranks."""
    import tiktoken_ext.openai_public as public

    kept = public.load_tiktoken_bpe
    public.load_tiktoken_bpe = lambda url, expected_hash=None: {"hash": expected_hash}
    try:
        made: dict[str, object] = getattr(public, name)()
    finally:
        public.load_tiktoken_bpe = kept
    return made


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
def test_vocabulary__is_that_of_upstream(name: str) -> None:
    theirs, ours = upstream(name), VOCABULARIES[name]
    assert ours.pattern == theirs["pat_str"]
    assert dict(ours.special_tokens) == theirs["special_tokens"]
    assert ours.ranks_sha256 == theirs["mergeable_ranks"]["hash"]  # type: ignore[index]


@pytest.mark.parametrize(("name", "tokens"), [("o200k_base", 200_019), ("cl100k_base", 100_277)])
def test_encoding__has_every_token(name: str, tokens: int) -> None:
    assert load_encoding(VOCABULARIES[name]).n_vocab == tokens


# Ids of fixed texts, a long run among them: a broken counter fails on these first.
IDS = [
    ("o200k_base", "hello world", [24912, 2375]),
    ("cl100k_base", "hello world", [15339, 1917]),
    ("o200k_base", "<|endoftext|>", None),
    ("o200k_base", "a" * 5_000, None),
    ("cl100k_base", "Grüße, 世界 👋🏽\r\n\t", None),
]


@pytest.mark.parametrize(("name", "text", "ids"), IDS)
def test_encoding__round_trips_and_takes_special_tokens_as_text(
    name: str, text: str, ids: list[int] | None
) -> None:
    encoding = load_encoding(VOCABULARIES[name])
    found = encoding.encode(text, disallowed_special=())
    assert encoding.decode(found) == text
    assert ids is None or found == ids
    assert open_counter(name, None).count(text.encode()) == len(found)
    assert not set(found) & {token for _, token in VOCABULARIES[name].special_tokens}


def test_counter__names_what_counted() -> None:
    counter = open_counter("o200k_base", None)
    assert counter.library == f"tiktoken=={tiktoken.__version__}"
    assert counter.vocabulary_sha256 == VOCABULARIES["o200k_base"].ranks_sha256
    assert counter.unit == "token"


def test_counter__of_another_name_is_unavailable() -> None:
    with pytest.raises(CounterUnavailableError) as caught:
        open_counter("no_such_vocabulary", None)
    assert caught.value.detail == {"name": "no_such_vocabulary"}


def test_counter__refuses_text_that_the_encoder_cannot_take() -> None:
    with pytest.raises(CounterUnavailableError):
        open_counter("o200k_base", None).count(b" " * 999_999)


def test_ranks__with_another_digest_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    (tmp_path / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"IQ== 0\n"))
    monkeypatch.setattr(module, "_package_folder", lambda name: tmp_path)
    with pytest.raises(CounterUnavailableError, match="digest"):
        load_encoding.__wrapped__(VOCABULARIES["o200k_base"])


def test_known_count__needs_no_tokenizer(tmp_path: Path) -> None:
    cache = CountCache(tmp_path / "counts")
    counter = open_counter("o200k_base", cache)
    assert counter.count(b"hello world") == 2
    cache.close()
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from assembler.adapters.count_cache import CountCache\n"
        "from assembler.adapters.vocabulary import open_counter\n"
        f"cache = CountCache(Path({str(tmp_path / 'counts')!r}))\n"
        "assert open_counter('o200k_base', cache).count(b'hello world') == 2\n"
        "assert 'tiktoken' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_cache__tells_vocabularies_and_versions_apart(tmp_path: Path) -> None:
    cache = CountCache(tmp_path / "counts")
    text = "Grüße an 世界".encode()
    o200k = open_counter("o200k_base", cache).count(text)
    cl100k = open_counter("cl100k_base", cache).count(text)
    assert o200k != cl100k
    older = module.VocabularyCounter(VOCABULARIES["o200k_base"], "0.0.1", cache)
    cache.put("anything", 1)
    assert older.count(text) == o200k


@pytest.mark.parametrize("damage", ["text", "folder", "schema"])
def test_cache__that_is_damaged_is_as_good_as_none(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "counts"
    if damage == "text":
        path.write_bytes(b"no database at all" * 100)
    elif damage == "folder":
        path.mkdir()
    else:
        import sqlite3

        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE counts (other TEXT)")
        connection.close()
    cache = CountCache(path)
    assert open_counter("o200k_base", cache).count(b"hello world") == 2
    cache.close()


def test_version__is_read_without_importing() -> None:
    assert find_tiktoken_version() == tiktoken.__version__


def test_plain_counters__count_what_they_say() -> None:
    text = "é\n👋".encode()
    assert open_plain_counter("code-points").count(text) == 3
    assert open_plain_counter("utf8-bytes").count(text) == 7
    with pytest.raises(RuntimeError):
        open_plain_counter("declared").count(text)
