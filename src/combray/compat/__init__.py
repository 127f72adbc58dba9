"""Classes with the methods of other memory libraries, on the engine of Combray."""
