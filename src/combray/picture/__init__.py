"""The memory graph as a picture: Graphviz source, or one self-contained HTML page."""

from combray.picture.graph import dot, html

__all__ = ["dot", "html"]
