"""voice_hitl.speech."""
