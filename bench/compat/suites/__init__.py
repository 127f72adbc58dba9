"""One module a framework, each with a tuple `SUITES`. Importing one imports no framework."""
