"""Run a function as a user who may not do everything: permissions mean nothing to root."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import TypeVar

NOBODY = 65534
Answer = TypeVar("Answer")


def as_another_user(function: Callable[[], Answer]) -> Answer:
    """What a function gives in a child without privileges.

    Everything it imports has to be imported before: the interpreter may lie in a private home.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(pickle.dumps(function()))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, "the child failed"
    answer: Answer = pickle.loads(data)
    return answer
