"""The tables of the database. Everything follows from the events; the other columns and tables save replaying them."""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["NAME_LENGTH", "SCHEMA", "events", "metadata", "rounds", "studies"]

SCHEMA = "0002"
"""The revision of `migrations/` that this version of bestdo writes."""

NAME_LENGTH = 200
"""Most characters of the names of studies and people, and of keys; as in the migrations."""

metadata = sa.MetaData()

studies = sa.Table(
    "studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(NAME_LENGTH), nullable=False, unique=True),
    sa.Column("position", sa.Integer, nullable=False),  # the number of the last event
    sa.Column(
        "checkpoint", sa.Text, nullable=False
    ),  # JSON: settings, the learner's state, and the plan where it has many rounds; never exported
    sa.Column("cursor", sa.Text, nullable=False),  # JSON: what changes with every round
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.String(40), nullable=False),  # ISO 8601 with its time zone
    sa.Column("who", sa.String(NAME_LENGTH), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON
)

rounds = sa.Table(
    "rounds",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("worker", sa.String(NAME_LENGTH), nullable=False),
    sa.Column("expires", sa.Float, nullable=False),
    sa.Column("status", sa.String(10), nullable=False),  # open, told, lost, unplayed, expired
    sa.Column("block", sa.Integer, nullable=False),  # the block in which it counts
    sa.Column("body", sa.Text, nullable=False),  # JSON: what was told
    sa.Column("key", sa.String(NAME_LENGTH)),
    sa.Index("rounds_by_status", "study", "status"),
    sa.Index("rounds_by_block", "study", "block"),
    sa.Index("rounds_by_key", "study", "key", unique=True),
)
