"""Vectors made after the write: a queue of jobs, workers that share it, and moving to another embedder."""
