"""The fields and files of a form that a browser sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import UploadFile

from bestdo.web.guard import MOST_BYTES

__all__ = ["Form", "Sent"]

_PREFIX = "v:"
"""Begins the names of fields that hold the values of variables."""

_MOST_FILES = 4
_MOST_FIELDS = 10_000
"""Enough for the largest graph form: 200 variables of 17 fields and 2,000 arrows of 3. Not measured."""

_LONGEST_NAME = 200
"""Characters of a file name that are kept. Chosen, not measured."""


@dataclass(frozen=True)
class Sent:
    """A form that was sent: its fields and files by name."""

    fields: dict[str, str]
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """The text of a field, without the spaces around it."""
        return self.fields.get(name, default).strip()

    def values(self) -> dict[str, str]:
        """The values of the variables for which one was chosen."""
        return {k.removeprefix(_PREFIX): v for k, v in self.fields.items() if k.startswith(_PREFIX) and v}


async def sent(request: Request) -> Sent:
    """The form of a request; too many fields or files are refused."""
    fields: dict[str, str] = {}
    files: dict[str, tuple[str, bytes]] = {}
    async with request.form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=MOST_BYTES) as form:
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                if value.filename:
                    files[name] = value.filename[:_LONGEST_NAME], await value.read()
            else:
                fields[name] = value.replace("\r\n", "\n")
    return Sent(fields, files)


Form = Annotated[Sent, Depends(sent)]
