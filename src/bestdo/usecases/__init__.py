"""What a person can do with bestdo besides running a study: one function each, which takes and returns values."""
