"""Embedders behind HTTP, one file a provider."""
