"""The forest of symbolic links in which Bazel's paths are true: `.bazel2ninja/execroot`."""

from __future__ import annotations

import os

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.ninja.paths import EXECUTION_ROOT, OUTPUT, SIDE, PathMapper


def lay(output_root: str, mapper: PathMapper) -> None:
    """Makes or mends the forest below `output_root`: a link for each top-level entry of the source tree.

    Raises WorkspaceError when the source tree cannot be listed or a link cannot be made.
    """
    forest = os.path.join(output_root, EXECUTION_ROOT)
    source = os.path.join(output_root, mapper.source)
    try:
        links = {name: f"../../{mapper.path(name)}" for name in sorted(os.listdir(source)) if not _ours(name)}
        # the output root itself may be a directory of the source tree: a link to it would make the tree endless
        links = {name: target for name, target in links.items() if not _same(os.path.join(source, name), output_root)}
        links["external"] = "../external"
        links[OUTPUT] = f"../../{OUTPUT}"
        os.makedirs(forest, exist_ok=True)
        os.makedirs(os.path.join(output_root, SIDE, "external"), exist_ok=True)
        for name in os.listdir(forest):
            if name not in links:
                os.unlink(os.path.join(forest, name))
        for name, target in links.items():
            path = os.path.join(forest, name)
            if os.path.islink(path):
                if os.readlink(path) == target:
                    continue
                os.unlink(path)
            os.symlink(target, path)
    except OSError as error:
        where = Location(error.filename or forest)
        raise WorkspaceError(
            Diagnostic(f"cannot make the execution root: {(error.strerror or str(error)).lower()}", where)
        ) from None


def _ours(name: str) -> bool:
    # bazel-bin, bazel-out and the like are left behind by Bazel itself
    return name in (SIDE, "external") or name.startswith("bazel-")


def _same(left: str, right: str) -> bool:
    try:
        return os.path.samefile(left, right)
    except OSError:
        return False
