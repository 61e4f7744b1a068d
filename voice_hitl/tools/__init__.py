"""What the model may call: definitions, argument schemas, policies, handlers, and the tools that ask a person."""
