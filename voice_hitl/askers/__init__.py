"""voice_hitl.askers."""
