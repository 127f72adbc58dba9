"""Measurements: recall quality, write-side decisions, speed, dates. Not part of the installed package."""
