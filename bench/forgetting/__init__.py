"""Forget by request: precision and recall of what a request would take."""
