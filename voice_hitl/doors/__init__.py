"""voice_hitl.doors."""
