"""Where requests outlive a process: in memory, in a SQLite file, on a Redis server."""
