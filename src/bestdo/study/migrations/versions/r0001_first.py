"""Revision 0001: the first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("checkpoint", sa.Text, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("study", sa.Integer, sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("who", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "rounds",
        sa.Column("study", sa.Integer, sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("worker", sa.String(200), nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("key", sa.String(200)),
    )
    op.create_index("rounds_by_status", "rounds", ["study", "status"])
    op.create_index("rounds_by_block", "rounds", ["study", "block"])
    op.create_index("rounds_by_key", "rounds", ["study", "key"], unique=True)
