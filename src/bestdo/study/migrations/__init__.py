"""Migrations of the database schema, one file per revision; run by Alembic when a database is opened."""
