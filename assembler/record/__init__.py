"""Ledger, manifest, identities, events: what stays of a run."""
