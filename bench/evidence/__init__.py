"""Training of the model of evidence: does a memory answer a question (`combray.scoring.answers`)."""
