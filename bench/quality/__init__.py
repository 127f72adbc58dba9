"""How well `recall` finds what a question needs: sets, metrics, plain systems to beat, and the report."""
