"""The public conformance suite for providers of skills, over our loader.

    pip install --no-deps --ignore-requires-python agentskills-core==0.7.0 agentskills-testing==0.7.0

With pyyaml, pytest and pytest-asyncio beside them it runs 52 tests; without them it is skipped.
Both ask for Python 3.12 and run on 3.11.

    python -m pytest tests/conformance/skills -o addopts= -o filterwarnings= -o asyncio_mode=auto
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pytest_asyncio", reason="pytest-asyncio is not installed")
core = pytest.importorskip("agentskills_core", reason="agentskills-core 0.7.0 is not installed")
suite = pytest.importorskip(
    "agentskills_testing", reason="agentskills-testing 0.7.0 is not installed"
)

from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.skill_search import find_skills
from assembler.discover.skills import build_skills
from assembler.model.skill import Skill
from assembler.model.tree import Authorized, Entry

KINDS = ("references", "scripts", "assets")


class LoaderProvider(core.SkillProvider):
    """A folder of skills, as `assembler` finds and reads it."""

    supports_resource_listing = True
    supports_discovery = True
    supports_file_access = True

    def __init__(self, root: Path, *, limit_bytes: int = 1 << 20) -> None:
        self._tree = FolderTree(root)
        self._limit_bytes = limit_bytes

    def _read(self, entry: Entry) -> bytes:
        file = Authorized(entry=entry, grant="test")
        found = self._tree.read([file], limit_bytes=self._limit_bytes)[entry.path]
        if isinstance(found, bytes):
            return found
        raise core.AgentSkillsError(found.reason)

    def _skills(self) -> dict[str, Skill]:
        search = find_skills(self._tree, [("", "skills")])
        contents = {
            folder.entry.path: self._tree.read(
                [Authorized(entry=folder.entry, grant="test")], limit_bytes=self._limit_bytes
            )[folder.entry.path]
            for folder in search.folders
        }
        skills = build_skills(search, contents, read_front_matter)
        refused = [skill for skill in skills if skill.state != "listed"]
        if refused:
            raise core.AgentSkillsError(refused[0].slug)
        return {skill.name: skill for skill in skills if skill.name is not None}

    def _skill(self, skill_id: str) -> Skill:
        skill = self._skills().get(skill_id)
        if skill is None:
            raise core.SkillNotFoundError(skill_id)
        return skill

    async def get_metadata(self, skill_id: str) -> dict[str, Any]:
        return dict(self._skill(skill_id).properties or {})

    async def get_body(self, skill_id: str) -> str:
        skill = self._skill(skill_id)
        (entry,) = (entry for entry in skill.files if entry.path == skill.path)
        data = self._read(entry)
        return data[read_front_matter(data).body :].decode()

    async def read_file(self, skill_id: str, path: str) -> bytes:
        entry = self._skill(skill_id).resource(path)
        if entry is None:
            raise core.ResourceNotFoundError(path)
        return self._read(entry)

    async def get_reference(self, skill_id: str, name: str) -> bytes:
        return await self.read_file(skill_id, f"references/{name}")

    async def get_script(self, skill_id: str, name: str) -> bytes:
        return await self.read_file(skill_id, f"scripts/{name}")

    async def get_asset(self, skill_id: str, name: str) -> bytes:
        return await self.read_file(skill_id, f"assets/{name}")

    async def list_files(self, skill_id: str) -> list[str]:
        skill = self._skill(skill_id)
        return sorted(entry.path.removeprefix(f"{skill.folder}/") for entry in skill.files)

    async def list_resources(self, skill_id: str) -> dict[str, list[str]]:
        files = await self.list_files(skill_id)
        return {
            kind: [name.removeprefix(f"{kind}/") for name in files if name.startswith(f"{kind}/")]
            for kind in KINDS
        }

    async def discover(self) -> list[str]:
        return sorted(self._skills())


@pytest.fixture
def skill_folder(tmp_path: Path) -> Path:
    """The one skill of the suite's contract."""
    files = {
        "SKILL.md": f"---\nname: {suite.SKILL_ID}\ndescription: Is read.\n---\n\n# Body\n".encode(),
        f"references/{suite.REFERENCE_NAME}": suite.REFERENCE_BYTES,
        f"scripts/{suite.SCRIPT_NAME}": suite.SCRIPT_BYTES,
        f"assets/{suite.ASSET_NAME}": suite.ASSET_BYTES,
    }
    for name, data in files.items():
        path = tmp_path / "skills" / suite.SKILL_ID / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path


class TestLoader(suite.ProviderConformanceSuite):
    @pytest.fixture
    def provider(self, skill_folder: Path) -> LoaderProvider:
        return LoaderProvider(skill_folder)


class TestLoaderLimits(suite.ContentLimitConformanceSuite):
    @pytest.fixture
    def limited_provider(self, skill_folder: Path) -> LoaderProvider:
        return LoaderProvider(skill_folder, limit_bytes=8)
