"""What in the documentation is generated, and the build of the site.

`python -m pages` writes the generated pages and pictures; `python -m pages site` builds the site.
"""
