"""voice_hitl.console."""
