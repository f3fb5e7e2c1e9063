"""Frozen domain types that every room shares. Standard library only, no I/O."""
