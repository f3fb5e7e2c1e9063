"""Who may read what: decided on names and roles, before any content is read."""
