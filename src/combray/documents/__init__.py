"""Folders of Markdown and transcripts as memory. The files are authoritative; the index follows them."""
