"""The graph of memories as a picture: Graphviz, and one HTML page that needs nothing else."""

from combray.picture.graphviz import dot
from combray.picture.page import html

__all__ = ["dot", "html"]
