"""The request body, and the proof that it carries exactly the rendered text."""
