"""Embedders over HTTP, one file per provider."""
