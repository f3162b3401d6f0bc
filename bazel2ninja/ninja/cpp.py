"""Compiles, archives and links.  They are made from structured data and run in the output root, with ninja's paths."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    LinkItem,
    SymlinkAction,
)
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import Diagnostic, InternalError, WorkspaceError
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.cpp_directory import RULE as COMPILE_DIRECTORY
from bazel2ninja.ninja.cpp_directory import compile_directory
from bazel2ninja.ninja.flags import variables_in
from bazel2ninja.ninja.paths import SIDE, PathMapper
from bazel2ninja.ninja.statements import Edge, Rule

_DEPENDENCIES = {"depfile": "$out.d", "deps": "gcc"}
_RESPONSE = {"rspfile": "$out.rsp", "rspfile_content": "$words"}


def _compile(name: str, compiler: str, flags: str, *, preprocessed: bool = True) -> Rule:
    dependencies = "-MD -MF $out.d " if preprocessed else ""
    return Rule(
        name,
        f"$environment{compiler} $options $includes {dependencies}-frandom-seed=$out $prefix_maps {flags} "
        "-o $out -c $in",
        "compile $in",
        _DEPENDENCIES if preprocessed else {},
    )


RULES = (
    _compile("cc", "$cc", "$cppflags $cflags"),
    _compile("cxx", "$cxx", "$cppflags $cxxflags"),
    _compile("as", "$cc", "$asflags", preprocessed=False),
    _compile("asm", "$cc", "$cppflags $asflags"),
    COMPILE_DIRECTORY,
    Rule("archive", "rm -f $out && $environment$ar rcsD $out $in", "archive $out"),
    Rule("archive_long", "rm -f $out && $environment$ar rcsD $out @$out.rsp", "archive $out", _RESPONSE),
    Rule(
        "link", "$environment$link -o $out $options $cxxflags $ldflags $in $words", "link $out", {"pool": "$link_pool"}
    ),
    Rule(
        "link_long",
        "$environment$link -o $out $options $cxxflags $ldflags @$out.rsp",
        "link $out",
        {"pool": "$link_pool", **_RESPONSE},
    ),
)

_COMPILERS: Mapping[str, list[str]] = MappingProxyType({rule.name: variables_in(rule.command) for rule in RULES})
_COMPILE_RULES = {"c": "cc", "c++": "cxx", "assembler": "as", "assembler-with-cpp": "asm"}
_PROGRAMS = ("cc", "cxx", "link", "ar")
_HEADERS = (
    ".h",
    ".hh",
    ".hpp",
    ".hxx",
    ".h++",
    ".inc",
    ".inl",
    ".ipp",
    ".tcc",
    ".tlh",
    ".tli",
    ".cuh",
    ".def",
    ".modulemap",
)
# A library that only registers itself counts: some compilers drop what no symbol asks for, Bazel's toolchain never.
_LOADING = MappingProxyType({"lib": "kept", "shared": "kept", "shared_as_needed": "asked"})
_POP = "-Wl,--pop-state"
_LONG = 32_000  # characters; a command of more than 131,072 bytes cannot be started at all


def prefix_maps(mapper: PathMapper) -> str:
    """Options that make __FILE__ what it is under Bazel and keep the build directory's name out of the objects."""
    words = [f"-fmacro-prefix-map={SIDE}/="]
    if mapper.source != ".":
        words.append(f"-fmacro-prefix-map={mapper.source}/=")
    return syntax.value(syntax.shell_words(words)) + ' "-fdebug-prefix-map=$$PWD=."'


def _for_machine(context: Context, action: CppCompileAction | CppArchiveAction | CppLinkAction, edge: Edge) -> Edge:
    """`edge` with the compiler and the flags of the machine that the action's configuration is for.

    The program is the project's own where its toolchain names one.
    """
    suffix = context.other_machines.suffixes.get(action.configuration)
    if suffix:
        edge.variables.update((name, f"${name}{suffix}") for name in _COMPILERS[edge.rule])
    if action.program:
        for name in _COMPILERS[edge.rule]:
            if name in _PROGRAMS:
                edge.variables[name] = context.program(action.program, name)
    if action.environment:
        edge.variables["environment"] = _assignments(action)
    return edge


def lower_compile(context: Context, action: CppCompileAction) -> Iterator[Edge]:
    rule = _COMPILE_RULES.get(action.language)
    if rule is None:
        raise InternalError(f"no rule to compile the language {action.language!r}")
    further = [output.exec_path for output in action.outputs[1:] if not output.exec_path.endswith(".d")]
    if further:
        raise InternalError(f"a compile with more outputs than an object: {further}")
    mapper = context.mapper
    source = mapper.node(action.source)
    if not syntax.depfile_readable(mapper.path(action.source.exec_path)):
        path = mapper.path(action.source.exec_path)
        raise WorkspaceError(Diagnostic(f"ninja cannot read the name {path!r} in a depfile", action.location))
    others = [artifact for artifact in action.inputs if artifact is not action.source]
    headers = [artifact for artifact in others if artifact.exec_path.endswith(_HEADERS)]
    edge = Edge(
        rule,
        [mapper.node(action.object)],
        [source],
        # the depfile names headers, but not what an assembler or linker script includes in its own ways
        implicit=[mapper.node(artifact) for artifact in others if artifact not in headers]
        + context.sets(action.program_files),
        order_only=[mapper.node(artifact) for artifact in headers if not artifact.is_source]
        + context.sets(
            (group for group in action.input_sets if group not in action.program_files), generated_only=True
        ),
    )
    options = _compile_options(context, action)
    if options:
        edge.variables["options"] = options
    includes = _include_options(context, action)
    if includes:
        edge.variables["includes"] = includes
    if any(re.search(pattern, action.source.exec_path) for pattern in context.options.heavy_compiles):
        edge.variables["pool"] = "heavy"
    if action.source.is_directory:
        edge = compile_directory(context, action, edge)
    yield _for_machine(context, action, edge)


def _compile_options(context: Context, action: CppCompileAction) -> str:
    key = (action.toolchain_flags, action.pic, action.defines, action.copts, action.last_flags, action.program)
    known = context.known_variable("o", key)
    if known is not None:
        return known
    words = _toolchain_words(context, action, action.toolchain_flags)
    if action.pic:
        words.append("-fPIC")
    words += [f"-D{define}" for define in action.defines]
    words += context.project_flags.keep(context.mapper.words(action.copts), action)
    words += _toolchain_words(context, action, action.last_flags)
    return context.define("o", words, key)


def _toolchain_words(context: Context, action: CppCompileAction | CppLinkAction, flags: Sequence[str]) -> list[str]:
    """The flags of the toolchain; those of one that a project describes may hold paths."""
    return context.project_flags.keep(context.mapper.words(flags) if action.program else flags, action)


def _include_options(context: Context, action: CppCompileAction) -> str:
    key = (action.quote_includes, action.includes, action.system_includes, action.framework_includes)
    known = context.known_variable("i", key)
    if known is not None:
        return known
    words = []
    for option, directories in zip(("-iquote", "-I", "-isystem", "-F"), key, strict=True):
        for directory in directories:
            path = context.mapper.directory(directory)
            words += [option + path] if len(option) == 2 else [option, path]
    return context.define("i", words, key)


def _assignments(action: CppCompileAction | CppArchiveAction | CppLinkAction) -> str:
    words = [f"{name}={syntax.shell_word(text)}" for name, text in action.environment.items() if name != "PWD"]
    return "".join(syntax.value(word) + " " for word in words)


def lower_archive(context: Context, action: CppArchiveAction) -> Iterator[Edge]:
    mapper = context.mapper
    members = mapper.nodes(action.members)
    edge = Edge("archive", [mapper.node(action.primary_output)], members, context.inputs(action, action.members))
    if sum(map(len, members)) > _LONG or any(member.is_directory for member in action.members):
        edge.rule = "archive_long"
        paths = [_path(mapper, member) for member in action.members]
        edge.variables["words"] = syntax.value(syntax.response_words(paths))
    yield _for_machine(context, action, edge)


def _path(mapper: PathMapper, artifact: Artifact) -> str:
    """What names an object: for a directory of objects the response file that lists them."""
    return f"@{mapper.stamp(artifact)}" if artifact.is_directory else mapper.path(artifact.exec_path)


def lower_link(context: Context, action: CppLinkAction) -> Iterator[Edge]:
    mapper = context.mapper
    artifacts = list(dict.fromkeys(item.artifact for item in action.items))
    items = _item_words(context, action.items)
    flags = context.project_flags.keep(mapper.words(action.flags), action)
    flags += _toolchain_words(context, action, action.last_flags)
    edge = Edge(
        "link",
        [mapper.node(action.output)],
        implicit=context.inputs(action, artifacts),
        implicit_outputs=mapper.nodes(action.outputs[1:]),
    )
    options = context.define("l", _link_options(context, action))
    if options:
        edge.variables["options"] = options
    text = syntax.shell_words(flags)
    if len(text) + sum(map(len, items)) > _LONG:
        edge.rule = "link_long"
        text = syntax.response_words(items + flags)
        edge.implicit = mapper.nodes(artifacts) + edge.implicit
    elif items == [mapper.path(artifact.exec_path) for artifact in artifacts]:
        edge.inputs = mapper.nodes(artifacts)  # they are the words: no need to say them twice
    else:
        text = syntax.shell_words(items + flags)
        edge.implicit = mapper.nodes(artifacts) + edge.implicit
    if text:
        edge.variables["words"] = syntax.value(text)
    yield _for_machine(context, action, edge)


def _link_options(context: Context, action: CppLinkAction) -> list[str]:
    """What goes before the inputs: the toolchain's flags, the kind of result, its name, its search path."""
    words = _toolchain_words(context, action, action.toolchain_flags)
    directory = posixpath.dirname(action.output.exec_path)
    if action.kind != "executable":
        given = [*action.toolchain_flags, *action.flags, *action.last_flags]
        if "-shared" not in given:
            words.append("-shared")
        soname = _soname(action)
        if soname:
            words += _linker("-soname", soname)
    for entry in action.runtime_directories:
        words += _linker("-rpath", posixpath.join("$ORIGIN", entry) if entry else "$ORIGIN")
        words += _linker("-rpath-link", posixpath.normpath(posixpath.join(directory, entry)))
    for script in action.version_scripts:
        if not any(script.exec_path in word for word in action.flags):  # the linker refuses a second one
            words += _linker("--version-script", context.mapper.path(script.exec_path))
    return words


def _soname(action: CppLinkAction) -> str | None:
    """The name to give to a shared library, None when the project's flags do or it is to have none.

    A library for programs gets one: who links with its path would otherwise need it under that very path when it runs.
    One for in-tree use has none: its users know it by a link's name.
    """
    if any("-soname" in word for word in (*action.toolchain_flags, *action.flags, *action.last_flags)):
        return None
    if action.soname:
        return action.soname
    return posixpath.basename(action.output.exec_path) if action.kind == "shared" else None


def _linker(option: str, argument: str) -> list[str]:
    """An option of the linker with a separate argument."""
    if "," in argument:
        return ["-Xlinker", option, "-Xlinker", argument]
    return [f"-Wl,{option},{argument}"]


def _item_words(context: Context, items: tuple[LinkItem, ...]) -> list[str]:
    # a compiler refuses a link without any input, which directories without a source would be
    words: list[str] = ["-Wl,--no-whole-archive"] if any(item.artifact.is_directory for item in items) else []
    whole = False
    mode = ""  # "kept": every library becomes a dependency; "asked": those with a symbol that is asked for
    directories: set[str] = set()
    for item in items:
        wanted = _LOADING.get(item.kind, "")
        if whole and item.kind != "whole_archive":
            # before the state is saved: restoring it would take the rest of the link whole, the compiler's own too
            whole = False
            words.append("-Wl,--no-whole-archive")
        if wanted != mode:
            if mode:
                words.append(_POP)
            if wanted:
                words.append(f"-Wl,--push-state,{'--no-as-needed' if wanted == 'kept' else '--as-needed'}")
            mode = wanted
        if item.kind == "whole_archive" and not whole:
            whole = True
            words.append("-Wl,--whole-archive")
        path = _path(context.mapper, item.artifact)
        if item.kind == "lib" or (wanted and not _has_soname(context, item.artifact)):
            # found by name, so that its name and not its path becomes the dependency of the result
            directory, name = posixpath.split(path)
            if directory not in directories:
                directories.add(directory)
                words.append(f"-L{directory}")
            words.append(f"-l:{name}")
        elif item.kind in ("object", "archive", "whole_archive", "shared", "shared_as_needed"):
            words.append(path)
        else:
            raise InternalError(f"a link input of kind {item.kind!r}")
    if whole:
        words.append("-Wl,--no-whole-archive")
    if mode:
        words.append(_POP)
    return words


def _has_soname(context: Context, artifact: Artifact) -> bool:
    """Whether we link the library ourselves so that it says its name."""
    return _says_its_name(artifact, context.generator, context.named)


def _says_its_name(artifact: Artifact, generator: Callable[[Artifact], Action | None], known: Set[str]) -> bool:
    action = generator(artifact)
    while isinstance(action, SymlinkAction) and action.inputs:
        artifact = action.inputs[0]
        action = generator(artifact)
    if action is None:
        return artifact.exec_path in known
    return isinstance(action, CppLinkAction) and says_its_name(action)


def says_its_name(action: CppLinkAction) -> bool:
    """Whether the library has a soname."""
    return _soname(action) is not None or any("-soname" in word for word in action.flags)


def named_libraries(
    actions: Iterable[Action], generator: Callable[[Artifact], Action | None], known: Iterable[str]
) -> set[str]:
    """The exec paths of the libraries that say their name; known: of those that other actions make."""
    found = set(known)
    for action in actions:
        if isinstance(action, CppLinkAction | SymlinkAction):
            for output in action.outputs:
                if _says_its_name(output, generator, found):
                    found.add(output.exec_path)
                else:
                    found.discard(output.exec_path)
    return found
