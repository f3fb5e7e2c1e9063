"""Settings of the whole suite."""

from __future__ import annotations

import gc
import os
import signal

from hypothesis import settings

# The machines of contributors and of CI differ by more than any deadline could allow for.
settings.register_profile("default", deadline=None, derandomize=True)
settings.load_profile("default")

# A suite that was started in the background ignores Ctrl-C, and so would every command it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A repository around the suite, or a hook that runs it, must not reach the repositories in it.
for name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[name]


def pytest_xdist_auto_num_workers() -> int:
    """One more than processors: some tests wait for servers that hang."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_finish() -> None:
    """Thousands of tests stay as long as the process: no collection has to look at them again."""
    gc.collect()
    gc.freeze()
