"""The embedded provider: voice activity, recognition, synthesis and a small brain, with no key and no network."""
