"""Revision 0002: what changes with every round moves from the checkpoint into the column `cursor`."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Splits the checkpoint; the state is left out, and computed from the log when the study is opened."""
    op.add_column("studies", sa.Column("cursor", sa.Text, nullable=False, server_default="{}"))
    connection = op.get_bind()
    rows = connection.execute(sa.text("SELECT id, checkpoint FROM studies")).all()
    for row in rows:
        old = json.loads(row.checkpoint)
        cursor = {**{k: old[k] for k in ("used", "next", "closed")}, "given": 0, "archived": old.get("archived", False)}
        kept = {
            **{k: old[k] for k in ("settings", "blocks", "folded")},
            "plan": old["left"],
            "state": None,
            "version": "",
        }
        values = {"id": row.id, "checkpoint": json.dumps(kept), "cursor": json.dumps(cursor)}
        connection.execute(
            sa.text("UPDATE studies SET checkpoint = :checkpoint, cursor = :cursor WHERE id = :id"), values
        )
