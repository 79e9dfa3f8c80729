"""How the schema came about, one file per step; run by Alembic when a database is opened."""
