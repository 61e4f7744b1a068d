"""`voice-hitl`: the commands, and what they run."""
