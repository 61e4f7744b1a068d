"""The async shells of live calls: channels, their sessions, and the parts that a session is made of."""
