"""Audio as numbers: frames, G.711, rates, mixing, tempo, voice activity, our own voice, the playout buffer (pure)."""
