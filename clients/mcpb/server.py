"""Combray's MCP server, as `combray mcp` starts it."""

from combray.interfaces.cli import main

if __name__ == "__main__":
    main(["mcp"])
