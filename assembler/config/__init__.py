"""Bytes of a document to typed records: unknown keys refused, errors with a place."""
