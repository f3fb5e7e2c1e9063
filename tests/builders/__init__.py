"""Builders of what tests run on: vectors, repositories, inventories."""
