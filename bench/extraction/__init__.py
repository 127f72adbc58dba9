"""Extraction with a scripted model on loopback: whether every turn is read once, whatever the model does."""
