"""Ways to reach a person while a request is open: aloud, on a card, at the operators' console, on a telephone."""
