"""Answers end to end: a memory, a model that answers from what it is shown, and one that judges."""
