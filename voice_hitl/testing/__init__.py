"""voice_hitl.testing."""
