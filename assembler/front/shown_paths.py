"""How absolute paths are shown to a person: below a folder, with `~`, or as they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assembler.front.places import home_folder
from assembler.model.finding import Finding


class Place(NamedTuple):
    """How paths are shown: below the project's root, `~`, or as they are."""

    top: Path
    environment: Mapping[str, str]

    def show(self, path: str) -> str:
        """The path of a finding or a row."""
        shown = Path(path)
        if shown.is_relative_to(self.top):
            return shown.relative_to(self.top).as_posix()
        return shorten_home(shown, self.environment)

    def locate(self, finding: Finding) -> Finding:
        """A finding with an absolute path as rows have it, and that path among its figures."""
        if finding.path is None or not finding.path.startswith("/"):
            return finding
        data = {**finding.data, "absolute_path": finding.path}
        return finding._replace(path=self.show(finding.path), data=data)


def shorten_home(folder: Path, environment: Mapping[str, str]) -> str:
    """A path with `~` for HOME."""
    home = home_folder(environment)
    if home is None or home == Path("/") or not folder.is_relative_to(home):
        return str(folder)
    rest = folder.relative_to(home).as_posix()
    return "~" if rest == "." else f"~/{rest}"
