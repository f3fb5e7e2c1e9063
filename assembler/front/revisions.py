"""Which revision a file's bytes belong to: by blob id, never by date or by git's own diff."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from assembler.adapters.git import GitRepository
from assembler.model.digest import git_blob_id
from assembler.offers.reader import FileReader
from assembler.ports import SourceTree

DIFFERS: str = "differs from HEAD"
NOT_IN_HEAD: str = "not in HEAD"


class ReadFiles(NamedTuple):
    """What several readers of one repository read."""

    contents: Mapping[str, bytes]
    real_paths: Mapping[str, str]


class RevisionNames:
    """Names the revision of each file that a run read."""

    def __init__(
        self, tree: SourceTree, git: GitRepository, reader: FileReader | ReadFiles
    ) -> None:
        self._tree = tree
        self._git = git
        self._reader = reader

    def begin(self, paths: Collection[str]) -> None:
        """Have git start on what `of` will ask about these paths."""
        revision = self._tree.revision
        if revision is not None and self._tree.at != revision:
            self._git.begin_blob_ids(revision, sorted(path.encode("utf-8") for path in paths))

    def of(self, paths: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
        """Revision and version for each name, from the path its bytes came from.

        A file whose bytes are those of HEAD belongs to HEAD. Another one belongs to no
        revision, and its version says so.
        """
        revision = self._tree.revision
        if revision is None or self._tree.at == revision:
            return dict.fromkeys(paths, (revision, None))
        read = {name: path for name, path in paths.items() if path in self._reader.contents}
        real_paths = self._reader.real_paths
        places = {real_paths[path] for path in read.values()}
        # What a link outside the repository leads to is in no commit of it.
        asked = sorted(place.encode("utf-8") for place in places if not place.startswith("/"))
        heads = self._git.blob_ids(revision, asked) if asked else {}
        # Many items may be lines of one file, which is hashed once.
        judged = {path: self._judge(path, heads, revision) for path in set(read.values())}
        return {name: judged[path] for name, path in read.items()}

    def _judge(
        self, path: str, heads: Mapping[bytes, str | None], revision: str
    ) -> tuple[str | None, str | None]:
        in_head = heads.get(self._reader.real_paths[path].encode("utf-8"))
        if in_head is None:
            return None, NOT_IN_HEAD
        data = self._reader.contents[path]
        own = git_blob_id(data, object_format=self._git.object_format)
        return (revision, None) if own == in_head else (None, DIFFERS)


def name_in(
    git: GitRepository, *, policy: FileReader, skills: FileReader, evidence: FileReader
) -> Callable[[Mapping[str, str], Mapping[str, str]], dict[str, tuple[str | None, str | None]]]:
    """Names the revisions of what a run read; of one tree, all at once.

    Args:
        git: of the repository.
        policy: read instructions.
        skills: read skills, from the tree of the policy with folders outside the repository.
        evidence: read evidence.
    """

    def name(
        of_policy: Mapping[str, str], of_evidence: Mapping[str, str]
    ) -> dict[str, tuple[str | None, str | None]]:
        read = ReadFiles(
            {**skills.contents, **policy.contents}, {**skills.real_paths, **policy.real_paths}
        )
        names = RevisionNames(policy.tree, git, policy if skills is policy else read)
        if policy is evidence:
            return names.of({**of_policy, **of_evidence})
        return {
            **names.of(of_policy),
            **RevisionNames(evidence.tree, git, evidence).of(of_evidence),
        }

    return name


class Versions:
    """How each file that was read differs from HEAD, where there is a commit."""

    def __init__(self, tree: SourceTree, git: GitRepository | None, reader: FileReader) -> None:
        self._names = None
        if git is not None and tree.revision is not None:
            self._names = RevisionNames(tree, git, reader)
        self._is_worktree = tree.at == "worktree"
        self.by_path: dict[str, str] = {}

    def begin(self, paths: Collection[str]) -> None:
        """Have git start on what `find_untracked` will ask about these paths, or some of them."""
        if self._names is not None:
            self._names.begin(paths)

    def find_untracked(self, paths: Collection[str]) -> Collection[str]:
        """Those of the paths that HEAD does not have; remembers what differs."""
        if self._names is None:
            return ()
        named = self._names.of({path: path for path in paths})
        self.by_path = {
            path: version for path, (_, version) in named.items() if version is not None
        }
        if not self._is_worktree:
            return ()
        return {path for path, version in self.by_path.items() if version == NOT_IN_HEAD}
