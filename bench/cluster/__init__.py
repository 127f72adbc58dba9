"""Namespaces on one, two and four PostgreSQL servers, and what a killed or moved one does."""
