"""What other coding agents load by themselves: each one a description, carried out by one walk."""
