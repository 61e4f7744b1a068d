"""voice_hitl.stores."""
