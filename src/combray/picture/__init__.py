"""The memory graph as a picture: Graphviz source, or one self-contained HTML page."""

from combray.picture.graphviz import dot
from combray.picture.page import html

__all__ = ["dot", "html"]
