"""voice_hitl.channels."""
