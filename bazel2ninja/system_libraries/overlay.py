"""The directory that stands for a repository: the overlay's BUILD files, and what this machine's library needs.

    SIDE/system/LIBRARY/BUILD.bazel ...     as in overlays/LIBRARY/
    SIDE/system/LIBRARY/PACKAGE/BUILD.bazel one target for each .pc file, where the data say "labels"
    SIDE/system/LIBRARY/system_library.bzl  the macros that overlays use
    SIDE/system/LIBRARY/installed.bzl       what pkg-config says, and which links and programs there are
    SIDE/system/LIBRARY/include/...         links to directories of headers that the compiler does not know by itself
    SIDE/system/LIBRARY/programs/...        links to programs
    SIDE/system/LIBRARY/LICENSE ...         links to the copyright file of the Debian package

Files that stay as they are keep their times: what depends on them is not made again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from bazel2ninja.repositories.store import remove
from bazel2ninja.system_libraries.library import DATA_FILE, SystemLibrary
from bazel2ninja.system_libraries.machine import Installed, Machine
from bazel2ninja.system_libraries.pkg_config import PkgConfigModule, last_of_equal

MACROS = "system_library.bzl"
INSTALLED = "installed.bzl"
_BUILD = "BUILD.bazel"
_TERMS = tuple(
    name + ending for name in ("LICENSE", "LICENCE", "COPYING", "NOTICE") for ending in ("", ".txt", ".TXT", ".md")
)
_TERMS_TEXT = "\n# what the package says about its licences, under the names that projects use\n"


def lay(installed: Installed, machine: Machine, directory: str) -> None:
    """Makes `directory` the repository that stands for the library."""
    library = installed.library
    files: dict[str, str] = {
        str(path.relative_to(library.directory)): path.read_text("utf-8")
        for path in sorted(library.directory.rglob("*"))
        if path.is_file() and path.name != DATA_FILE
    }
    files[MACROS] = (library.directory.parent / MACROS).read_text("utf-8")
    modules = machine.pkg_config.closure(installed.modules, private=True)
    links = {place: os.path.realpath(path) for place, path in installed.links.items()}
    links.update({f"programs/{name}": path for name, path in installed.programs.items()})
    includes = header_directories(modules, machine.include_directories)
    links.update({f"include{path}": path for path in includes})
    files[INSTALLED] = installed_bzl(installed, modules, machine)
    files.setdefault(_BUILD, "# holds .bzl files only\n")
    files.update(package_files(library, set(installed.modules), {module.name: module for module in modules}))
    terms = terms_of(installed, machine)
    if terms is not None:
        names = [name for name in _TERMS if f'"{name}"' not in files[_BUILD]]
        links.update(dict.fromkeys(names, terms))
        files[_BUILD] += _TERMS_TEXT + f"exports_files({quoted(names)})\n"
    _write(directory, files, links)


def terms_of(installed: Installed, machine: Machine) -> str | None:
    """The copyright file of the library's Debian package."""
    paths = (os.path.join(machine.documentation, name, "copyright") for name, _ in installed.packages)
    return next((os.path.realpath(path) for path in paths if os.path.isfile(path)), None)


def header_directories(modules: Iterable[PkgConfigModule], known: Sequence[str]) -> list[str]:
    """Directories of -I that the compiler does not look into anyway, sorted."""
    found = {os.path.normpath(word[2:]) for module in modules for word in module.cflags if word.startswith("-I")}
    return sorted(path for path in found if path not in known and os.path.isdir(path))


def installed_bzl(installed: Installed, modules: Sequence[PkgConfigModule], machine: Machine) -> str:
    """The text of installed.bzl."""
    lines = [
        f'"""What pkg-config says about {installed.library.name} on this machine; made by bazel2ninja."""',
        "",
        f"VERSION = {quoted(installed.version)}",
        f"VARIANT = {quoted(installed.library.variant)}",
        f"PREFIX = {quoted(installed.prefix)}",
        f"LINKS = {quoted(sorted(installed.links))}",
        f"PROGRAMS = {quoted(sorted(installed.programs))}",
        f"NAMES = {quoted(sorted(installed.modules))}",
        "MODULES = {",
    ]
    for module in sorted(modules, key=lambda module: module.name):
        lines.append(f"    {quoted(module.name)}: struct(")
        for name, value in _described(module, machine).items():
            lines.append(f"        {name} = {quoted(value)},")
        lines.append("    ),")
    return "\n".join([*lines, "}", ""])


def _described(module: PkgConfigModule, machine: Machine) -> dict[str, object]:
    """What a target for the module needs; closures hold the module itself and come in the linker's order."""
    known = machine.include_directories
    flags = [word for word in module.cflags if not word.startswith("-I")]
    return {
        "version": module.version,
        "includes": [f"include{path}" for path in header_directories([module], known)],
        "defines": [word[2:] for word in flags if word.startswith("-D")],
        "linkopts": [
            word
            for word in module.libs
            if word[:2] != "-L" or os.path.normpath(word[2:]) not in machine.library_directories
        ],
        "header_closure": [each.name for each in machine.pkg_config.closure([module.name], private=True)],
        "link_closure": [each.name for each in machine.pkg_config.closure([module.name])],
        "requires": list(module.requires),
    }


def package_files(
    library: SystemLibrary, present: set[str], modules: Mapping[str, PkgConfigModule]
) -> Mapping[str, str]:
    """BUILD files with one target for each label whose module is there."""
    packages: dict[str, list[tuple[str, str]]] = {}
    label_of: dict[str, str] = {}
    for label, module in library.labels.items():
        package, _, name = label.partition(":")
        packages.setdefault(package, [])
        if module in present:
            packages[package].append((name, module))
            label_of.setdefault(module, f"//{label}")
    files = {}
    for package, targets in packages.items():
        lines = [
            f"# One target for each .pc file of {library.name} on this machine; made by bazel2ninja.",
            f'load("//:{MACROS}", "system_module")',
        ]
        for name, module in sorted(targets):
            own = f"//{package}:{name}"
            requires = [each for each in modules[module].requires if each != module]
            # modules may require each other, targets may not: what leads back here is given by its flags
            as_target = [each for each in requires if each in label_of and module not in _required(each, modules)]
            deps = [label_of[each] for each in as_target]
            rest = [each for each in requires if each not in as_target]
            if label_of[module] != own:
                deps, rest, module = [label_of[module]], [], ""
            lines += ["", "system_module(", f"    name = {quoted(name)},"]
            lines += [f"    module = {quoted(module)},"] if module else []
            lines += [f"    others = {quoted(rest)},"] if rest else []
            lines += ["    deps = [", *(f"        {quoted(each)}," for each in last_of_equal(deps)), "    ],", ")"]
        files[f"{package}/{_BUILD}" if package else _BUILD] = "\n".join([*lines, ""])
    return files


def _required(name: str, modules: Mapping[str, PkgConfigModule]) -> set[str]:
    """What a module requires, directly or not."""
    found: set[str] = set()
    pending = [name]
    while pending:
        module = modules.get(pending.pop())
        fresh = set(module.requires if module else ()) - found
        found |= fresh
        pending += fresh
    return found


def quoted(value: object) -> str:
    """A text or a list of texts in Starlark."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    assert isinstance(value, list)
    return "[" + ", ".join(quoted(item) for item in value) + "]"


def _write(directory: str, files: Mapping[str, str], links: Mapping[str, str]) -> None:
    """Makes the directory hold just these files and links."""
    wanted = {*files, *links}
    for root, names, others in os.walk(directory):
        for name in [*names, *others]:
            path = os.path.join(root, name)
            relative = os.path.relpath(path, directory)
            needed = relative in wanted or any(each.startswith(relative + "/") for each in wanted)
            if not needed or (os.path.islink(path) and links.get(relative) != os.readlink(path)):
                remove(path)
        names[:] = [name for name in names if os.path.isdir(os.path.join(root, name))]
    for relative, target in sorted(links.items()):
        path = os.path.join(directory, relative)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            os.symlink(target, path)
    for relative, text in files.items():
        path = os.path.join(directory, relative)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        content = text.encode("utf-8", "surrogateescape")
        try:
            with open(path, "rb") as file:
                if file.read() == content:
                    continue
        except OSError:
            pass
        with open(path + ".new", "wb") as file:
            file.write(content)
        os.replace(path + ".new", path)
