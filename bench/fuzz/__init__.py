"""Fuzzing of every parser that meets text from outside: `python -m bench.fuzz TARGET --seconds N`."""
