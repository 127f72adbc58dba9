"""The audit: a hash-chained log of every operation on a store (docs/explanation/audit.md)."""
