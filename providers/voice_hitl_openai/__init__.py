"""The OpenAI Realtime provider."""
