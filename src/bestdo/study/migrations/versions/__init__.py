"""The revisions of the schema, in the order of their numbers."""
