"""voice_hitl.cli."""
