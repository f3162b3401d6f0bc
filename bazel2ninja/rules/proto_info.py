"""What targets tell each other about protocol buffer files.

https://bazel.build/rules/lib/providers/ProtoInfo and https://bazel.build/rules/lib/providers/ProtoLangToolchainInfo
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.provider import Provider
from bazel2ninja.starlark import EvalError, List, Struct

VIRTUAL_IMPORTS = "_virtual_imports"

_PROTO_FIELDS = (
    "direct_sources",
    "transitive_sources",
    "check_deps_sources",
    "direct_descriptor_set",
    "transitive_descriptor_sets",
    "proto_source_root",
    "transitive_proto_path",
    "transitive_imports",
    "allow_exports",
    "option_deps",
    "extension_declarations",
    "_direct_proto_sources",
    "_transitive_proto_sources",
    "_exported_sources",
)


def _proto_info(
    *,
    srcs: Any,
    deps: Any = (),
    descriptor_set: Any = None,
    proto_path: str = "",
    workspace_root: str = "",
    bin_dir: Any = None,
    allow_exports: Any = None,
    **others: Any,
) -> dict[str, Any]:
    unknown = sorted(set(others) - {"option_deps", "extension_declarations"})
    if unknown:
        raise EvalError(f"ProtoInfo() got an unexpected keyword argument '{unknown[0]}'")
    root = workspace_root
    if VIRTUAL_IMPORTS + "/" in proto_path:
        root = "/".join(part for part in (str(bin_dir or ""), workspace_root, proto_path) if part)
    elif proto_path:
        root = "/".join(part for part in (workspace_root, proto_path) if part)
    return proto_fields(tuple(srcs), list(deps), descriptor_set, root or ".")


ProtoInfo = Provider("ProtoInfo", _PROTO_FIELDS, _proto_info)

ProtoLangToolchainInfo = Provider(
    "ProtoLangToolchainInfo",
    (
        "out_replacement_format_flag",
        "output_files",
        "plugin_format_flag",
        "plugin",
        "runtime",
        "provided_proto_sources",
        "proto_compiler",
        "protoc_opts",
        "progress_message",
        "mnemonic",
        "allowlist_different_package",
        "toolchain_type",
    ),
)


def import_path(source: Artifact, root: str) -> str:
    """How other files import a source that lies below `root` (an exec path, "." for the execution root)."""
    path = source.exec_path
    if root not in ("", ".") and path.startswith(root + "/"):
        return path[len(root) + 1 :]
    if source.root.path and path.startswith(source.root.path + "/"):
        path = path[len(source.root.path) + 1 :]
        if root not in ("", ".") and path.startswith(root + "/"):
            return path[len(root) + 1 :]
    return path


def proto_fields(
    sources: tuple[Artifact, ...],
    dependencies: Iterable[Any],
    descriptor_set: Artifact | None,
    root: str,
    exports: Iterable[Any] = (),
) -> dict[str, Any]:
    """The fields of ProtoInfo.  root: exec path of the directory that imports start from."""
    deps = list(dependencies)
    entries = tuple(Struct(_path=import_path(source, root), _source_file=source) for source in sources)
    entry_sets = tuple(dep.get("_transitive_proto_sources") or Depset() for dep in deps)
    checked = Depset(sources) if sources else Depset((), tuple(dep.s_check_deps_sources for dep in deps))
    transitive = Depset(sources, tuple(dep.s_transitive_sources for dep in deps), "preorder")
    return {
        "direct_sources": List(sources),
        "transitive_sources": transitive,
        "transitive_imports": transitive,
        "check_deps_sources": Depset((), (checked, *(export.s_check_deps_sources for export in exports))),
        "direct_descriptor_set": descriptor_set,
        "transitive_descriptor_sets": Depset(
            (descriptor_set,) if descriptor_set is not None else (),
            tuple(dep.s_transitive_descriptor_sets for dep in deps),
        ),
        "proto_source_root": root,
        "transitive_proto_path": Depset((root,), tuple(dep.s_transitive_proto_path for dep in deps)),
        "allow_exports": None,
        "_direct_proto_sources": List(entries),
        "_transitive_proto_sources": Depset(entries, entry_sets, "preorder"),
        "_exported_sources": checked,
    }


def sources_with_imports(info: Any) -> list[tuple[str, Artifact]]:
    """(import path, file) of all sources, own ones first."""
    return [(entry.s__path, entry.s__source_file) for entry in info.s__transitive_proto_sources.flatten()]


def source_roots(info: Any) -> list[str]:
    """Directories, other than the execution root, that imports start from: dependencies' first."""
    return [root for root in info.s_transitive_proto_path.flatten() if root not in ("", ".")]
