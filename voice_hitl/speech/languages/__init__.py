"""voice_hitl.speech.languages."""
