"""The embedded agent that the README starts: a restaurant whose bookings a person has to confirm."""
