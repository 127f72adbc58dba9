"""Wire Combray into agent clients: MCP entry, hooks and guidance in each client's own files."""

from combray.clients.checking import Finding, check
from combray.clients.places import Places, Wanted, program
from combray.clients.wiring import CLIENTS, Change, carry_out, plan, unplan

__all__ = ["CLIENTS", "Change", "Finding", "Places", "Wanted", "carry_out", "check", "plan", "program", "unplan"]
