"""voice_hitl.requests."""
