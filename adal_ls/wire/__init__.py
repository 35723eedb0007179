"""JSON-RPC between our own processes: framing and an asyncio peer. Standard library only.

`framing` turns bytes into messages and back: LSP's `Content-Length` headers on stdio, a length prefix on the
worker's private pipe. `peer` is one end of a JSON-RPC 2.0 connection on an asyncio loop.
"""
