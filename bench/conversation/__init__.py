"""The conversation loop: what streaming adds to a turn, and what a preparation costs."""
