"""The Realtime protocol of OpenAI from the service's side, as pure state machines under `testing.openai_realtime`.

Nothing here opens a socket or reads a clock: what the client sent and `now` go in, what the service says comes out.
Source: the Realtime guide and API reference of OpenAI (GA), and what the service was seen to answer.
"""
