"""The only rooms that touch files, git, processes, SQLite, the clock and third-party parsers."""
