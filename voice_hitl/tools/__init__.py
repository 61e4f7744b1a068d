"""voice_hitl.tools."""
