"""Ranking arithmetic: BM25F, rank fusion, diversification, clustering, decay, confidence, tiers."""
