"""The engine as a server of the Model Context Protocol, over stdio: `combray mcp`.

The one room that imports the SDK (`mcp` 2.x, extra `mcp`).
"""
