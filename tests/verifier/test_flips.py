"""Single changed bytes, of packages, chains and stores: each has to be noticed.

Places are chosen by a generator with a fixed seed, every file as often as every other one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from assembler_verifier import verify_chain, verify_package
from assembler_verifier.folder import folder_of
from assembler_verifier.self_test.bases import CHAIN, base_names, chain_base, package_base
from assembler_verifier.strict_json import canonical
from assembler_verifier.verify import verify_folder
from tests.verifier.vectors import lay_out

BASES = [name for name in base_names() if name != CHAIN]
SMALL_BASES = [name for name in BASES if name not in {"raj-declared-openai-responses", "raj-o200k"}]
"""One of the three large packages is enough for the short form."""
FLIPS = 230
MANY_FLIPS = 1_000
CHAIN_FLIPS = 300
MANY_CHAIN_FLIPS = 3_000


def flips(
    files: Mapping[str, bytes], count: int, seed: str
) -> Iterator[tuple[str, int, int, bytes]]:
    """Changes of one byte each: the file, the place, the bits, and the file's new bytes."""
    chance = random.Random(seed)
    names = [name for name in sorted(files) if files[name]]
    for number in range(count):
        name = names[number % len(names)]
        data = bytearray(files[name])
        place, bits = chance.randrange(len(data)), chance.randrange(1, 256)
        data[place] ^= bits
        yield name, place, bits, bytes(data)


def surviving(base: str, count: int) -> list[tuple[str, int, int]]:
    """Changes of a package that nobody noticed."""
    files = package_base(base)
    assert verify_folder(folder_of(files)).holds
    return [
        (name, place, bits)
        for name, place, bits, data in flips(files, count, base)
        if verify_folder(folder_of(files | {name: data})).holds
    ]


def test_flips__are_at_least_two_thousand_and_ten_thousand() -> None:
    assert len(SMALL_BASES) * FLIPS >= 2_000
    assert len(BASES) * MANY_FLIPS >= 10_000


def test_flips__change_one_byte_each() -> None:
    files = package_base("tool-numbers")
    for name, place, _, data in flips(files, 50, "any"):
        differing = [
            at for at, pair in enumerate(zip(files[name], data, strict=True)) if pair[0] != pair[1]
        ]
        assert differing == [place]


@pytest.mark.parametrize("base", SMALL_BASES)
def test_verify_folder__notices_a_changed_byte(base: str) -> None:
    assert surviving(base, FLIPS) == []


@pytest.mark.long
@pytest.mark.parametrize("base", BASES)
def test_verify_folder__notices_any_of_many_changed_bytes(base: str) -> None:
    assert surviving(base, MANY_FLIPS) == []


def test_verify_package__notices_a_changed_byte_on_the_disk(tmp_path: Path) -> None:
    files = package_base("codeai-16-bound")
    folder = lay_out(files, tmp_path / "package")
    for name, place, bits, data in flips(files, 4 * len(files), "disk"):
        (folder / name).write_bytes(data)
        assert not verify_package(folder).holds, (name, place, bits)
        (folder / name).write_bytes(files[name])
    assert verify_package(folder).holds


def chain_survivors(count: int) -> list[tuple[str, int, int]]:
    """Changes of events and of their payloads that nobody noticed."""
    events, payloads = chain_base()
    assert verify_chain(events, payloads).holds
    named = {event["payload_sha256"] for event in events}
    lines = {f"event {number}": canonical(event) for number, event in enumerate(events)}
    files = lines | {name: payloads[name] for name in named}
    return [
        (name, place, bits)
        for name, place, bits, data in flips(files, count, CHAIN)
        if chain_holds(lines | {name: data} if name in lines else lines, payloads | {name: data})
    ]


def chain_holds(lines: Mapping[str, bytes], payloads: Mapping[str, bytes]) -> bool:
    try:
        events = [json.loads(line) for line in lines.values()]
    except ValueError:
        return False
    return verify_chain(events, payloads).holds


def test_verify_chain__notices_a_changed_byte() -> None:
    assert chain_survivors(CHAIN_FLIPS) == []


@pytest.mark.long
def test_verify_chain__notices_any_of_many_changed_bytes() -> None:
    assert chain_survivors(MANY_CHAIN_FLIPS) == []
