"""Files of agent clients: their configuration, which Combray is wired into, and their sessions.

Nothing is imported here, because `documents` reads sessions and needs none of the rest.
"""
