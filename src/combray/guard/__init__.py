"""What comes in is looked at before it is kept: hidden text, instructions to a model, secrets. Pure functions."""
