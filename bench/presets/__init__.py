"""What every preset leaves unanswered on a set with questions that have no answer."""
