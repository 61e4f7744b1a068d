"""voice_hitl.questions."""
