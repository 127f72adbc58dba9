"""A simulated agent that talks for 100 turns and calls the real hooks as processes."""
