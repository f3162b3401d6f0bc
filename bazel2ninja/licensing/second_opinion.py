"""licensecheck as a second opinion: asked once for each distinct notice, its answers kept by content.

It is a Debian package of its own and optional; disagreement is a finding, never a silent choice.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.dep5 import agree
from bazel2ninja.licensing.expressions import DebianNames
from bazel2ninja.licensing.finding import Finding, seen_hash
from bazel2ninja.licensing.matching import Classification

_SAID_NOTHING = ("", "UNKNOWN", "*No copyright*", "GENERATED FILE")


def opinions(texts: Mapping[str, str], cache: Cache, names: DebianNames) -> dict[str, str]:
    """digest -> SPDX expression of licensecheck, "" where it finds none. texts: digest -> the notice as it stands.

    Raises WorkspaceError when licensecheck is not installed.
    """
    known = cache.notices(f"licensecheck:{digest}" for digest in texts)
    found = {digest: str(known[f"licensecheck:{digest}"]) for digest in texts if f"licensecheck:{digest}" in known}
    missing = [digest for digest in texts if digest not in found]
    for start in range(0, len(missing), 200):
        part = missing[start : start + 200]
        answers = _ask({digest: texts[digest] for digest in part}, names)
        found.update(answers)
        cache.keep_notices({f"licensecheck:{digest}": answer for digest, answer in answers.items()})
    return found


def _ask(texts: Mapping[str, str], names: DebianNames) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as directory:
        for digest, text in texts.items():
            with open(os.path.join(directory, digest), "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        command = [
            "licensecheck",
            "--machine",
            "--shortname-scheme=spdx,debian",
            "--check",
            ".*",
            "--recursive",
            directory,
        ]
        try:
            result = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise WorkspaceError(
                Diagnostic("licensecheck is not installed", help="install the Debian package 'licensecheck'")
            ) from None
    found = dict.fromkeys(texts, "")
    for line in result.stdout.splitlines():
        path, _, said = line.partition("\t")
        digest = os.path.basename(path)
        if digest in found and said.strip() not in _SAID_NOTHING:
            found[digest] = names.to_spdx(said.strip())
    return found


def disagreements(
    said: Mapping[str, str], known: Mapping[str, Classification], places: Mapping[str, tuple[str, ...]]
) -> list[Finding]:
    """Notices for which both have an answer, and not the same. places: digest -> files with that notice."""
    found = []
    for digest, other in said.items():
        own = known[digest].expression if digest in known else ""
        if own and other and not agree(own, other):
            detail = f"licensecheck says {other}, matching says {own}"
            found.append(
                Finding("opinions", digest, places.get(digest, ()), detail, seen_hash("opinions", digest, own, other))
            )
    return found
