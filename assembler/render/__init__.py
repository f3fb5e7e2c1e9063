"""The bytes of an input, in a fixed order, unambiguous whatever an item holds."""
