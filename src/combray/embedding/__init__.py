"""Embedding after the write: a queue of jobs, and workers that share it."""
