"""An example plugin of Combray."""
