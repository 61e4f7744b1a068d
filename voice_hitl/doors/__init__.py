"""How a tool call comes in and how its outcome goes back: one pipeline for all, one `deliver` for each."""
