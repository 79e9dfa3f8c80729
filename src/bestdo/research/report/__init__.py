"""The report of the suite: tables, pictures and sentences."""
