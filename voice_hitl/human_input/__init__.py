"""The shell around `requests`: waiting, timers, hooks and askers beside a request, and its life in a store."""
