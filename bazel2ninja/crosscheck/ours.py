"""Our own actions as Records: the same fields as a dump's, from structured data instead of command lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    FailAction,
    ParameterFile,
    RunfilesTreeAction,
    SpawnAction,
    TestAction,
)
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.crosscheck.normalize import (
    LAZY,
    SHARED,
    expanded,
    link_flags,
    other_fields,
    split_flags,
    take_toolchain,
)
from bazel2ninja.crosscheck.records import PROGRAM, Names, Record

_NAMES = Names()  # our own paths need no other name than the one without configuration


def _outputs(action: Action) -> tuple[str, ...]:
    return _NAMES.texts(artifact.exec_path for artifact in action.outputs)


def _program(action: CppCompileAction | CppArchiveAction | CppLinkAction) -> dict[str, tuple[str, ...]]:
    """What runs the action, when the project says what."""
    return {PROGRAM: (_NAMES.text(action.program),)} if action.program else {}


def _compile(action: CppCompileAction) -> Record:
    words = [f"-D{define}" for define in action.defines]
    for flag, directories in (("-iquote", action.quote_includes), ("-isystem", action.system_includes)):
        if flag == "-isystem":
            words += [f"-I{directory}" for directory in action.includes]
        for directory in directories:
            words += [flag, directory]
    own = action.program != ""  # a dump shows the flags of a project's toolchain among the project's
    fields = split_flags([*words, *action.copts, *(action.last_flags if own else ())], _NAMES)
    fields["toolchain_flags"] = action.toolchain_flags if own else (*action.toolchain_flags, *action.last_flags)
    fields |= _program(action)
    fields["bookkeeping"] = ()
    fields["position"] = ("-fPIC",) if action.pic else ()
    fields["outputs"] = _outputs(action)
    label, source = str(action.owner), _NAMES.text(action.source.exec_path)
    return Record("compile", (label, source), action.mnemonic, label, source, False, fields, action.location)


def _link(action: CppLinkAction, archives: Mapping[str, Sequence[str]]) -> Record:
    members = _members(action, archives)
    as_tool = {"members": _members(action, archives, action.lazy_for_tools)} if action.lazy_for_tools else {}
    own = action.program != ""
    words = [*action.toolchain_flags, *action.flags, *action.last_flags] if own else list(action.flags)
    toolchain = take_toolchain(words) if own else [*action.toolchain_flags, *action.last_flags]
    fields = link_flags((word for word in words if not own or word != "-shared"), _NAMES) | _program(action)
    scripts = tuple(artifact.exec_path for artifact in action.version_scripts)
    fields["version_scripts"] = tuple(dict.fromkeys((*_NAMES.texts(scripts), *fields["version_scripts"])))
    if action.soname is not None:
        fields["soname"] = tuple(dict.fromkeys((action.soname, *fields["soname"])))
    fields["runtime_directories"] = (
        *(f"$ORIGIN/{directory}".rstrip("/") for directory in action.runtime_directories),
        *fields["runtime_directories"],
    )
    fields |= {
        "members": members,
        "kind": () if action.kind == "executable" else ("-shared",),
        "toolchain_flags": tuple(toolchain),
        "bookkeeping": (),
        "outputs": _outputs(action),
    }
    output = _NAMES.text(action.output.exec_path)
    label = str(action.owner)
    return Record("link", (output,), action.mnemonic, label, output, False, fields, action.location, as_tool=as_tool)


def _members(
    action: CppLinkAction, archives: Mapping[str, Sequence[str]], lazily: Collection[Artifact] = ()
) -> tuple[str, ...]:
    """What is linked; lazily: archives of which only what is needed is taken, whatever the action says."""
    members: list[str] = []
    for item in action.items:
        path = item.artifact.exec_path
        if item.kind in ("shared", "lib"):
            members.append(_NAMES.library(path) + SHARED)
        else:
            lazy = item.kind == "archive" or item.artifact in lazily
            members += expanded(_NAMES.text(path), lazy, archives)
    return tuple(members)


def _command(action: Action) -> tuple[str, ...]:
    if not isinstance(action, SpawnAction):
        return ()
    words: list[str] = []
    for word in action.arguments:
        for part in word.arguments if isinstance(word, ParameterFile) else (word,):
            words += [part] if isinstance(part, str) else part.unexpanded()
    return tuple(words)


def header_makers(actions: Iterable[Action]) -> set[str]:
    """First outputs, as records spell them, of actions that are needed only because compiles read what they make.

    The sources of compiles, and whatever other actions take, are not such.
    """
    listed = list(actions)
    makers = {artifact: action for action in listed for artifact in action.outputs}
    read = {artifact for action in listed for artifact in action.all_inputs()}
    pending = [action for action in listed if read.isdisjoint(action.outputs)]
    reached = set(map(id, pending))
    while pending:
        action = pending.pop()
        for artifact in (action.source,) if isinstance(action, CppCompileAction) else action.all_inputs():
            maker = makers.get(artifact)
            if maker is not None and id(maker) not in reached:
                reached.add(id(maker))
                pending.append(maker)
    return {_NAMES.text(action.primary_output.exec_path) for action in listed if id(action) not in reached}


def our_records(actions: Iterable[Action]) -> list[Record]:
    """Records of the actions of a graph; running tests, runfiles trees and failures build nothing and are left out."""
    listed = [a for a in actions if not isinstance(a, TestAction | RunfilesTreeAction | FailAction)]
    archives: dict[str, Sequence[str]] = {}
    records: list[Record] = []
    for action in listed:
        if isinstance(action, CppArchiveAction):
            output = _NAMES.text(action.primary_output.exec_path)
            members = _NAMES.texts(member.exec_path for member in action.members)
            archives[output] = members
            fields = {"members": members, "outputs": _outputs(action), **_program(action)}
            label = str(action.owner)
            records.append(Record("archive", (output,), "CppArchive", label, output, False, fields, action.location))
    for action in listed:
        if isinstance(action, CppCompileAction):
            records.append(_compile(action))
        elif isinstance(action, CppLinkAction):
            records.append(_link(action, archives))
        elif not isinstance(action, CppArchiveAction):
            outputs = _outputs(action)
            inputs = [artifact.exec_path for artifact in action.all_inputs()]
            fields = other_fields(action.mnemonic, outputs, inputs, _command(action), _NAMES)
            records.append(
                Record(
                    "other",
                    (outputs[0],),
                    action.mnemonic,
                    str(action.owner),
                    outputs[0],
                    False,
                    fields,
                    action.location,
                )
            )
    return records


def member_path(member: str) -> str:
    """A link member without its mark."""
    return member.removesuffix(LAZY).removesuffix(SHARED)
