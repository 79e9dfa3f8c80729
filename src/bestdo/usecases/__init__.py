"""What a person can do with bestdo before and beside a study: one function each, values in and values out."""
