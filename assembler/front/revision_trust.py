"""Which files of a run have the bytes of a revision that the host trusts: by blob id alone.

Never asked: what a file says, who wrote a commit, when. Rules: docs/formats/host.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from assembler.adapters.git import GitRepository
from assembler.adapters.patterns import compile_name_glob
from assembler.front.trees import PolicyRevision
from assembler.model.digest import git_blob_id
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name
from assembler.offers.reader import FileReader

MAX_TRUSTED: Final = 32
"""Commits that are asked; a host that trusts more of them trusts those alone."""

_WHERE: Final = "host: revisions.trusted"
_PREFIX: Final = re.compile(r"\Arefs/(?:heads|tags|remotes)/")


class TrustedRevisions:
    """The commits that the host trusts, as one repository has them."""

    def __init__(
        self, git: GitRepository, names: Sequence[str], policy_from: PolicyRevision | None
    ) -> None:
        """Find the commits of the names.

        Args:
            git: of the repository.
            names: of the host manifest.
            policy_from: the revision that the invoker named for the policy; trusted too.

        Raises:
            ConfigError: `pattern-invalid` for a glob.
            UsageError: `git-failed`, `git-timeout`.
        """
        self._git = git
        self._commits: dict[str, str] = {}
        """Name by commit, in the order in which they are asked."""
        self._unknown: list[str] = []
        if policy_from is not None:
            self._commits[policy_from.id] = policy_from.name
        for name in names:
            if re.search(r"[*?\[]", name):
                self._take_glob(name)
            else:
                self._take_name(name)

    def _take_name(self, name: str) -> None:
        found = self._git.commits_named(name)
        # Of a tag and a branch with one name, nobody said which is meant.
        if len(found) == 1:
            self._take(found[0], name)
        else:
            self._unknown.append(f"{name} has several meanings" if found else f"no {name} here")

    def _take_glob(self, glob: str) -> None:
        is_taken = compile_name_glob(glob, where=_WHERE)
        refs = [
            ref for ref in self._git.ref_names() if is_taken(ref) or is_taken(_PREFIX.sub("", ref))
        ]
        if not refs:
            self._unknown.append(f"no {glob} here")
        for ref in refs:
            if len(self._commits) >= MAX_TRUSTED:
                self._unknown.append(f"of {glob} not all were asked")
                return
            for commit_id in self._git.commits_named(ref):
                self._take(commit_id, _PREFIX.sub("", ref))

    def _take(self, commit_id: str, name: str) -> None:
        if len(self._commits) < MAX_TRUSTED:
            self._commits.setdefault(commit_id, name)
        elif commit_id not in self._commits:
            self._unknown.append(f"{name} was not asked")

    def find_untrusted(self, paths: Mapping[str, str], reader: FileReader) -> frozenset[str]:
        """Those of the names whose file has, in no trusted revision, these bytes at its path.

        Args:
            paths: of files that were read, by name.
            reader: what read them.
        """
        read = {name: path for name, path in paths.items() if path in reader.contents}
        places = {name: reader.real_paths[path] for name, path in read.items()}
        # Many items may be lines of one file, which is hashed once.
        blob_ids = {
            path: git_blob_id(reader.contents[path], object_format=self._git.object_format)
            for path in set(read.values())
        }
        left = set(read)
        for commit_id in self._commits:
            asked = sorted({places[name].encode("utf-8") for name in left})
            if not asked:
                break
            blobs = self._git.blobs_at(commit_id, asked)
            left = {
                name for name in left if blobs[places[name].encode("utf-8")] != blob_ids[read[name]]
            }
        # Bytes that are not this reader's were compared with nothing.
        return frozenset(left | (paths.keys() - read.keys()))

    @property
    def reason(self) -> str:
        """Why a file is untrusted, as its row says it."""
        known = ", ".join(self._commits.values()) or "none"
        words = "; ".join([f"in no trusted revision ({known})", *self._unknown])
        return bounded_name(words, most_bytes=MAX_WORDS_BYTES // 2)
