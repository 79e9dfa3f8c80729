"""Shows values as text, tables, pictures and JSON."""
