"""Many clients of one server: `python -m bench.server`."""
