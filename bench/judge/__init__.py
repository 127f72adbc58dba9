"""The judge: quality figures of two source trees, before and after, with paired intervals."""
