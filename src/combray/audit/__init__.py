"""The audit: a hash-chained log of every operation on a store (docs/audit.md)."""
