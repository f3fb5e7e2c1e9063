"""Frozen domain types that every room shares. Standard library only, no I/O.

Most are named tuples: making one dataclass costs a process half a millisecond at its start, and
there are some sixty of them in front of every run (measured; docs/decisions/0013).
"""
