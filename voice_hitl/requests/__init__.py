"""One request to a person: its life and who may settle it, in one ledger (pure)."""
