"""SQLite and PostgreSQL side by side: writes, recalls with 1 and 16 clients, and pgvector's HNSW index."""
