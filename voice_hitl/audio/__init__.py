"""voice_hitl.audio."""
