"""The engine as an MCP server over stdio: `combray mcp`. Requires the extra `mcp`."""
