"""The pages and the JSON interface, one file per group of addresses."""
