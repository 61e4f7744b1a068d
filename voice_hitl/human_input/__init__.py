"""voice_hitl.human_input."""
