"""Asking aloud: the dialogue, what words and keys mean for a question, prompts, and the languages (pure)."""
