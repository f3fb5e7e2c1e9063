"""A declaration permits nothing: only the host's own launch, to the letter, needs no row."""

from __future__ import annotations

import pytest

from assembler.authorize.servers import turn_away_server
from assembler.model.server import DeclaredServer, Endpoint, Launch, ServerAddress

LAUNCH = Launch(("run", "a"), ("TOKEN",))
ENDPOINT = Endpoint("https://x", {"Authorization": "${TOKEN}"}, ("TOKEN",))


@pytest.mark.parametrize(
    ("address", "known", "code"),
    [
        (LAUNCH, LAUNCH, None),
        (Launch(("run", "a", "b"), ("TOKEN",)), LAUNCH, "server-launch-differs"),
        (Launch(("run",), ("TOKEN",)), LAUNCH, "server-launch-differs"),
        (Launch(("RUN", "a"), ("TOKEN",)), LAUNCH, "server-launch-differs"),
        (Launch(("run", "a")), LAUNCH, "server-launch-differs"),
        (Endpoint("https://x", {"Authorization": "${TOKEN}"}), ENDPOINT, None),
        (Endpoint("https://x"), ENDPOINT, "server-launch-differs"),
        (Endpoint("https://x/", ENDPOINT.headers), ENDPOINT, "server-launch-differs"),
        (ENDPOINT, LAUNCH, "server-launch-differs"),
        (LAUNCH, None, "server-launch-differs"),
        (None, LAUNCH, "server-declaration-invalid"),
    ],
)
def test_name__of_the_host_needs_the_hosts_launch(
    address: ServerAddress | None, known: ServerAddress | None, code: str | None
) -> None:
    server = DeclaredServer("x", address, is_plain=True)
    assert turn_away_server(server, {"x": known}) == code


def test_name__of_nobody_is_not_allowed() -> None:
    server = DeclaredServer("x", LAUNCH, is_plain=True)
    assert turn_away_server(server, {"X": LAUNCH}) == "server-not-allowed"
    unclear = server._replace(is_plain=False)
    assert turn_away_server(unclear, {"x": LAUNCH}) == "server-launch-differs"
