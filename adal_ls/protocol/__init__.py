"""Every `adal/*` message, once: `methods` (names, standard library only) and pydantic models by subject.

The server imports `methods` alone, so that it starts without pydantic. docs/protocol.md, the JSON Schema and the
TypeScript types are generated from here and compared in CI.
"""
