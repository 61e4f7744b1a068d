"""voice_hitl.demo."""
