"""What agent clients call: hooks with a digest, memories for a prompt, and turns captured through a queue.

`clients/` wires Combray into the files of the clients. Nothing is imported here: a hook starts in milliseconds.
"""
