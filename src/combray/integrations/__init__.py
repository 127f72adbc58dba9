"""Classes that agent frameworks take: one module a framework, each with an extra of the same name.

Import the module, not this package: `from combray.integrations.langgraph import CombrayStore`. Nothing here is
loaded with `import combray`.
"""
