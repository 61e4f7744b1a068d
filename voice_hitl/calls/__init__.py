"""One tool call: its life, the book of a session, its outcome, and a call that a model says instead (pure)."""
