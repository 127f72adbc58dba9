"""Thin doors to the engine: each turns one outside form into engine calls, and the answers back."""
