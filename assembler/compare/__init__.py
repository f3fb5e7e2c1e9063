"""Two states side by side: packages of runs, and what agents are given of a repository."""
