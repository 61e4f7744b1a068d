"""voice_hitl."""
