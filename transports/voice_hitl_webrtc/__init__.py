"""The WebRTC leg: a browser, or another program, calls."""
