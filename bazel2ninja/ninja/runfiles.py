"""Makes a tree of runfiles while ninja runs: `python3 -m bazel2ninja.ninja.runfiles LIST DIRECTORY MANIFEST`.

LIST has a line "RUNFILES PATH <tab> PATH" for each file, the second relative to the working directory, empty for an
empty file.  What else lies in DIRECTORY goes.  Links are absolute, as Bazel's are: scripts that assemble packages copy
trees with `cp -R`.  MANIFEST gets absolute paths, as its readers expect, and is written each time, because who depends
on the tree depends on what the files contain.
"""

from __future__ import annotations

import os
import shutil
import sys


def lay(directory: str, entries: dict[str, str]) -> None:
    """Makes `directory` hold links to exactly these files: name -> path from the working directory, or ""."""
    parents = {directory}
    for name in entries:
        parent = os.path.dirname(os.path.join(directory, name))
        while parent not in parents:
            parents.add(parent)
            parent = os.path.dirname(parent)
    _sweep(directory, entries, parents)
    for parent in sorted(parents):
        os.makedirs(parent, exist_ok=True)
    for name, path in entries.items():
        link = os.path.join(directory, name)
        if not path:
            with open(link, "w"):
                continue
        target = os.path.abspath(path)
        if not (os.path.islink(link) and os.readlink(link) == target):
            if os.path.lexists(link):
                os.unlink(link)
            os.symlink(target, link)


def _parted(entries: dict[str, str], directory: str) -> tuple[dict[str, str], dict[str, str]]:
    """The entries that are files, and further names of those below a part of the tree that has another name.

    An entry whose path is a directory of the tree itself names such a part, as `WORKSPACE/external/REPOSITORY` does.
    """
    whole = {name: path for name, path in entries.items() if not path.startswith(f"{directory}/")}
    further = {}
    for other, path in entries.items():
        if other not in whole:
            part = path[len(directory) + 1 :] + "/"
            further.update({f"{other}/{name[len(part) :]}": whole[name] for name in whole if name.startswith(part)})
    return whole, further


def _sweep(directory: str, entries: dict[str, str], parents: set[str]) -> None:
    """Removes what does not belong into the tree, or is in its way."""
    if os.path.islink(directory) or os.path.isfile(directory):
        os.unlink(directory)
    for place, directories, files in os.walk(directory):
        for name in list(directories):
            path = os.path.join(place, name)
            if os.path.islink(path):
                directories.remove(name)
                files.append(name)
            elif path not in parents:
                directories.remove(name)
                shutil.rmtree(path)
        for name in files:
            path = os.path.join(place, name)
            if os.path.relpath(path, directory) not in entries or (not os.path.islink(path) and os.path.getsize(path)):
                os.unlink(path)


def main(arguments: list[str]) -> int:
    listing, directory, manifest = arguments
    entries: dict[str, str] = {}
    with open(listing, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            name, _, path = line.rstrip("\n").partition("\t")
            entries[name] = path
    # without module extensions the mapping is empty, and an empty file says so
    entries.setdefault("_repo_mapping", "")
    whole, further = _parted(entries, directory)
    lay(directory, {**whole, **further})
    lines = [f"{name} {os.path.abspath(path) if path else ''}\n" for name, path in sorted(whole.items())]
    with open(manifest, "w", encoding="utf-8", errors="surrogateescape") as output:
        output.writelines(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
