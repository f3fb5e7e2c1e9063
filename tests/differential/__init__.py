"""Ours against the real programs; each test here skips where its program is not named."""
