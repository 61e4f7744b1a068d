"""The embedded brain: a small rule-driven front desk that takes table bookings. Pure."""
