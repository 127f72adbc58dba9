"""Folders of Markdown and transcripts as memory: files are the truth, the index follows them."""
