"""The uses of bestdo besides running a study: one function each, which takes and returns values."""
