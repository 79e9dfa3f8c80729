"""Reads the sheets of workbooks: Excel (.xlsx, .xls, .xlsb) and OpenDocument (.ods)."""

from __future__ import annotations

__all__ = ["SPREADSHEETS"]

SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""How the names of workbooks end."""
