"""What a browser's form says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import UploadFile

from bestdo.web.guard import MOST_BYTES

__all__ = ["Form", "Sent"]

_PREFIX = "v:"


@dataclass(frozen=True)
class Sent:
    """Fields by name, and the files that came with them."""

    fields: dict[str, str]
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """A field, without the spaces around it."""
        return self.fields.get(name, default).strip()

    def values(self) -> dict[str, str]:
        """The values of variables: those that were chosen."""
        return {k.removeprefix(_PREFIX): v for k, v in self.fields.items() if k.startswith(_PREFIX) and v}


async def sent(request: Request) -> Sent:
    """Reads the form of a request, within limits."""
    fields: dict[str, str] = {}
    files: dict[str, tuple[str, bytes]] = {}
    async with request.form(max_files=4, max_fields=8000, max_part_size=MOST_BYTES) as form:
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                if value.filename:
                    files[name] = value.filename[:200], await value.read()
            else:
                fields[name] = value.replace("\r\n", "\n")
    return Sent(fields, files)


Form = Annotated[Sent, Depends(sent)]
