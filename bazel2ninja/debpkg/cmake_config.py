"""A CMake package of the installed libraries: NAMEConfig.cmake with imported targets, and NAMEConfigVersion.cmake.

https://cmake.org/cmake/help/latest/manual/cmake-packages.7.html; places are relative to the file, so that the tree can
be moved as a whole.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeTarget:
    """An imported target.  file: of the library, below the prefix, "" for headers only; needs: other targets."""

    name: str
    file: str = ""
    soname: str = ""
    include: str = ""
    defines: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def config(package: str, targets: Sequence[CMakeTarget], directory: str) -> str:
    """The text of PACKAGEConfig.cmake, which is installed in `directory` below the prefix."""
    return "\n".join(_lines(package, targets, directory)) + "\n"


def _lines(package: str, targets: Sequence[CMakeTarget], directory: str) -> Iterator[str]:
    up = "/".join([".."] * len(directory.split("/")))
    root = f"_{package}_prefix"
    yield f'get_filename_component({root} "${{CMAKE_CURRENT_LIST_DIR}}/{up}" ABSOLUTE)'
    for target in targets:
        name = f"{package}::{target.name}"
        kind = "SHARED" if target.file else "INTERFACE"
        properties = {
            "IMPORTED_LOCATION": target.file and f"${{{root}}}/{target.file}",
            "IMPORTED_SONAME": target.soname,
            "INTERFACE_INCLUDE_DIRECTORIES": f"${{{root}}}/{target.include}",
            "INTERFACE_COMPILE_DEFINITIONS": ";".join(target.defines),
            "INTERFACE_LINK_LIBRARIES": ";".join(f"{package}::{each}" for each in target.needs),
        }
        yield f"if(NOT TARGET {name})"
        yield f"  add_library({name} {kind} IMPORTED)"
        yield f"  set_target_properties({name} PROPERTIES"
        yield from (f"    {key} {_quoted(text)}" for key, text in properties.items() if text)
        yield "  )"
        yield "endif()"
    yield f"unset({root})"


def version_file(version: str) -> str:
    """The text of PACKAGEConfigVersion.cmake: versions with the same first number are taken for compatible."""
    first = version.partition(".")[0]
    return f"""\
set(PACKAGE_VERSION "{version}")
if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION AND
   (NOT PACKAGE_FIND_VERSION_MAJOR OR PACKAGE_FIND_VERSION_MAJOR STREQUAL "{first}"))
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
"""


def paths(package: str, libraries: str) -> tuple[str, str, str]:
    """Directory, configuration and version file below the prefix."""
    directory = posixpath.join(libraries, "cmake", package)
    return directory, f"{directory}/{package}Config.cmake", f"{directory}/{package}ConfigVersion.cmake"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
