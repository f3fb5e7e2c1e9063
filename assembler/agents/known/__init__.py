"""The descriptions, one file an agent; the name of the file is that of the agent."""
