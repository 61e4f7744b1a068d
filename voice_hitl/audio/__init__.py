"""Audio as numbers: frames, G.711, rates, mixing, tempo, voice activity and the playout buffer (pure)."""
