"""voice_hitl.calls."""
