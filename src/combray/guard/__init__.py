"""Checks on incoming text: hidden characters, prompt injection, secrets. Pure functions."""
