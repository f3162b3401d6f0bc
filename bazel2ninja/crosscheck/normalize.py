"""Command lines of compilers, linkers and archivers, taken apart into the fields of a Record.

A compile line of Bazel's C++ toolchain reads, in this order: the toolchain's flags, -MD -MF -frandom-seed -fPIC,
defines, -iquote, -I, -isystem, what the project asks for, the toolchain's last flags, -c SOURCE -o OBJECT
(cc_toolchain_config of the auto-detected Unix toolchain, tools/cpp/unix_cc_toolchain_config.bzl).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from bazel2ninja.crosscheck.oracle import OracleAction
from bazel2ninja.crosscheck.records import PROGRAM, Names, Record, unmangle

LAZY = " (lazy)"
SHARED = " (shared)"
"""Marks of link members: taken only when needed, and a shared library; none: always taken."""

_UNFILTERED = frozenset(
    (
        "-fno-canonical-system-headers",
        "-Wno-builtin-macro-redefined",
        "-no-canonical-prefixes",
        '-D__DATE__="redacted"',
        '-D__TIMESTAMP__="redacted"',
        '-D__TIME__="redacted"',
    )
)
_LINK_TOOLCHAIN = re.compile(
    r"-Wl,-S|-fuse-ld=\S+|-Wl,-no-as-needed|-Wl,-z,relro,-z,now|-B\S+|-pass-exit-codes|-Wl,--gc-sections|-lstdc\+\+|-lm"
    r"|-no-canonical-prefixes|-Wl,--build-id=\S+|-Wl,--hash-style=\S+"
)
_LINK_LIBRARIES = (
    ("-lstdc++", "-lm"),
    tuple(  # since Bazel 7
        word for library in ("-lstdc++", "-lm") for word in ("-Wl,--push-state,-as-needed", library, "-Wl,--pop-state")
    ),
)
_OBJECT = re.compile(r"[^-].*\.(?:o|a|lo|so|ifso|so\.[\d.]+)")
_WHOLE = {"-Wl,-whole-archive": True, "-Wl,--whole-archive": True}
_NOT_WHOLE = ("-Wl,-no-whole-archive", "-Wl,--no-whole-archive")
_GENRULE_SETUP = "source external/bazel_tools/tools/genrule/genrule-setup.sh; "
_MIDDLEMAN = "/_middlemen/"


def split_flags(words: Sequence[str], names: Names) -> dict[str, tuple[str, ...]]:
    """Defines, include directories and remaining options: words that follow the toolchain's own, in that order."""
    fields: dict[str, list[str]] = {"defines": [], "quote_includes": [], "includes": [], "system_includes": []}
    phases = ("defines", "quote_includes", "includes", "system_includes")
    phase = 0
    position = 0
    debug: list[str] = []
    count = len(words)
    while position < count:
        word = words[position]
        if word.startswith("-D") and len(word) > 2:
            found, value, step = 0, word[2:], 1
        elif word == "-iquote" and position + 1 < count:
            found, value, step = 1, words[position + 1], 2
        elif word.startswith("-I") and len(word) > 2:
            found, value, step = 2, word[2:], 1
        elif word == "-isystem" and position + 1 < count:
            found, value, step = 3, words[position + 1], 2
        elif word == "-g0":  # what Bazel gives to tools; the project's own options follow
            debug.append(word)
            position += 1
            continue
        else:
            break
        if found < phase:
            break
        phase = found
        fields[phases[found]].append(value if found == 0 else names.text(value))
        position += step
    found_fields = {name: tuple(values) for name, values in fields.items()}
    found_fields["copts"] = (*debug, *names.texts(words[position:]))
    return found_fields


def compile_record(action: OracleAction, names: Names) -> Record:
    """A compile, from its command line."""
    words = list(action.arguments)
    source = object_file = ""
    if "-c" in words:
        at = len(words) - 1 - words[::-1].index("-c")
        source = words[at + 1] if at + 1 < len(words) else ""
        del words[at : at + 2]
    if "-o" in words:
        at = len(words) - 1 - words[::-1].index("-o")
        object_file = words[at + 1] if at + 1 < len(words) else ""
        del words[at : at + 2]
    toolchain: list[str] = []
    bookkeeping: list[str] = []
    position: list[str] = []
    start = 1
    if "-MD" in words:
        start = words.index("-MD")
        toolchain += words[1:start]
        while start < len(words):
            word = words[start]
            if word == "-MF":
                start += 1
                bookkeeping.append(word)
            elif word == "-MD" or word.startswith("-frandom-seed="):
                bookkeeping.append(word.partition("=")[0])
            elif word == "-fPIC":
                position.append(word)
            else:
                break
            start += 1
    elif source.endswith(".s") and "-fPIC" in words:  # not preprocessed, so there is no depfile
        start = words.index("-fPIC") + 1
        toolchain += words[1 : start - 1]
        position.append("-fPIC")
    end = len(words)
    while end > start and words[end - 1] in _UNFILTERED:
        end -= 1
    toolchain += words[end:]
    fields = split_flags(words[start:end], names)
    fields["toolchain_flags"] = tuple(toolchain)
    fields["bookkeeping"] = tuple(bookkeeping)
    fields["position"] = tuple(position)
    fields["outputs"] = names.texts(action.outputs or (object_file,))
    fields[PROGRAM] = names.texts(action.arguments[:1])
    label, source = names.label(action.label), names.text(source)
    return Record("compile", (label, source), action.mnemonic, label, source, action.host, fields)


def archive_record(action: OracleAction, names: Names) -> Record:
    """An archive: `ar rcsD OUTPUT MEMBERS...`."""
    arguments = [word for word in action.arguments[1:] if not word.startswith("@")]
    output = names.text(action.outputs[0] if action.outputs else arguments[1])
    members = names.texts(word for word in arguments[1:] if names.text(word) != output)
    label = names.label(action.label)
    fields = {
        "members": members,
        "outputs": names.texts(action.outputs),
        PROGRAM: names.texts(action.arguments[:1]),
    }
    return Record("archive", (output,), action.mnemonic, label, output, action.host, fields)


def link_flags(words: Iterable[str], names: Names) -> dict[str, tuple[str, ...]]:
    """Options of a link: soname, version scripts and run paths apart from the others."""
    found: dict[str, list[str]] = {"flags": [], "soname": [], "version_scripts": [], "runtime_directories": []}
    pending = iter(words)
    for word in pending:
        if word == "-Xlinker":  # since Bazel 7: -Xlinker -rpath -Xlinker DIRECTORY
            option = next(pending, "")
            if option != "-rpath":
                found["flags"] += [word, names.text(option)]
                continue
            word = f"-Wl,-rpath,{next(pending, '') and next(pending, '')}"
        soname = re.fullmatch(r"-Wl,(?:-soname|-h|--soname)[,=](.*)", word)
        script = re.fullmatch(r"-Wl,--version-script[,=](.*)", word)
        runtime = re.fullmatch(r"-Wl,-rpath[,=](.*)", word)
        if soname:
            found["soname"].append(soname[1])
        elif script:
            found["version_scripts"].append(names.text(script[1]))
        elif runtime:
            found["runtime_directories"].append(runtime[1].rstrip("/"))
        else:
            found["flags"].append(names.text(word))
    return {name: tuple(values) for name, values in found.items()}


def expanded(path: str, lazy: bool, archives: Mapping[str, Sequence[str]]) -> list[str]:
    """A member of a link; an archive stands for its own members."""
    mark = LAZY if lazy else ""
    members = archives.get(path)
    return [path + mark] if members is None else [member + mark for member in members]


def link_record(action: OracleAction, names: Names, archives: Mapping[str, Sequence[str]]) -> Record:
    """An executable or shared library; `archives`: members of the archives that actions make, by output."""
    words = list(action.arguments[1:])
    toolchain = take_toolchain(words)
    members: list[str] = []
    flags: list[str] = []
    bookkeeping: list[str] = []
    kind: list[str] = []
    solibs: list[str] = []
    group = whole = False
    inputs = frozenset(action.inputs)
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == "-shared":
            kind.append(word)
        elif word == "-o":
            position += 1
        elif word.startswith(("@", "-Wl,@")) and word.endswith(".params"):
            bookkeeping.append("params")
        elif word in ("-Wl,--start-lib", "-Wl,--end-lib"):
            group = word.endswith("start-lib")
        elif word in _WHOLE or word in _NOT_WHOLE:
            whole = word in _WHOLE
        elif word.startswith("-L") and "/_solib_" in word:
            solibs.append(word[2:])
        elif word.startswith("-Wl,-rpath-link"):
            bookkeeping.append("-rpath-link")
        elif word.startswith("-l") and (directory := _solib_directory(word, solibs, inputs)):
            members.append(names.library(f"{directory}/lib{word[2:]}.so") + SHARED)
        elif word.startswith("-l") and solibs and _is_solib(word):
            members.append(_solib(word, solibs, names) + SHARED)
        elif _OBJECT.fullmatch(word):
            if re.search(r"\.(so|ifso)(\.[\d.]+)?$", word):
                members.append(names.library(word) + SHARED)
            else:
                lazy = not whole and (group or not word.endswith(".o"))
                members += expanded(names.text(word), lazy, archives)
        else:
            flags.append(word)
    fields = link_flags(flags, names)
    fields |= {
        "members": tuple(members),
        "kind": tuple(kind),
        "toolchain_flags": tuple(toolchain),
        "bookkeeping": tuple(bookkeeping),
        "outputs": names.texts(action.outputs),
        PROGRAM: names.texts(action.arguments[:1]),
    }
    output = names.text(action.outputs[0])
    label = names.label(action.label)
    return Record("link", (output,), action.mnemonic, label, output, action.host, fields)


def take_toolchain(words: list[str]) -> list[str]:
    """Takes the toolchain's own options out: a run of them around one that only it uses, and the last libraries."""
    taken: list[str] = []
    if "-pass-exit-codes" in words:
        first = last = words.index("-pass-exit-codes")
        while first > 0 and _LINK_TOOLCHAIN.fullmatch(words[first - 1]) and not words[first - 1].startswith("-l"):
            first -= 1
        while last + 1 < len(words) and _LINK_TOOLCHAIN.fullmatch(words[last + 1]):
            last += 1
        taken += words[first : last + 1]
        del words[first : last + 1]
    elif "-Wl,-S" in words:  # Bazel's own, also with a project's toolchain
        words.remove("-Wl,-S")
        taken.append("-Wl,-S")
    end = len(words)
    while end and words[end - 1].startswith(("@", "-Wl,@")):
        end -= 1
    for libraries in _LINK_LIBRARIES:
        start = end - len(libraries)
        if start >= 0 and tuple(words[start:end]) == libraries:
            taken += words[start:end]
            del words[start:end]
            break
    return taken


def _solib_directory(word: str, directories: Iterable[str], inputs: Collection[str]) -> str | None:
    """Where the library that `-lNAME` names lies, when it is one that the link reads."""
    return next((directory for directory in directories if f"{directory}/lib{word[2:]}.so" in inputs), None)


def _is_solib(word: str) -> bool:
    name = word[2:].removeprefix(":")
    return posixpath.basename(unmangle(name)).startswith("lib")


def _solib(word: str, directories: Sequence[str], names: Names) -> str:
    name = word[2:]
    if name.startswith(":"):
        return names.library(f"{directories[-1]}/{name[1:]}")
    return names.library(f"{directories[0]}/lib{name}.so")


def other_fields(
    mnemonic: str, outputs: Iterable[str], inputs: Iterable[str], arguments: Iterable[str], names: Names
) -> dict[str, tuple[str, ...]]:
    """Fields of an action that is neither compile nor link: what serves Bazel's bookkeeping apart."""
    bookkeeping: dict[str, None] = {}
    words = []
    for word in arguments:
        if word.startswith(_GENRULE_SETUP):
            bookkeeping["genrule-setup"] = None
            word = word.removeprefix(_GENRULE_SETUP)
        words.append(word)
    files: dict[str, None] = {}
    for path in inputs:
        if _MIDDLEMAN in path:
            bookkeeping["middleman"] = None
        elif path.endswith("/genrule-setup.sh"):
            bookkeeping["genrule-setup input"] = None
        else:
            files[names.text(path)] = None
    return {
        "mnemonic": (mnemonic,),
        "outputs": names.texts(outputs),
        "inputs": tuple(files),
        "command": names.texts(words),
        "bookkeeping": tuple(bookkeeping),
    }


def other_record(action: OracleAction, names: Names) -> Record:
    """Every other action: outputs, inputs and command."""
    fields = other_fields(action.mnemonic, action.outputs, action.inputs, action.arguments, names)
    output = fields["outputs"][0] if action.outputs else action.title
    label = names.label(action.label)
    return Record("other", (output,), action.mnemonic, label, output, action.host, fields)


def is_archive(action: OracleAction) -> bool:
    """Old releases call the archiver in an action CppLink; a project's toolchain calls it as it likes."""
    if action.mnemonic == "CppArchive":
        return True
    if action.mnemonic != "CppLink" or not action.arguments:
        return False
    return posixpath.basename(action.arguments[0]) == "ar" or any(
        output.endswith((".a", ".lo")) for output in action.outputs
    )


def oracle_records(
    actions: Iterable[OracleAction], names: Names, known_archives: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[Record]:
    """Records of a dump.  known_archives: members of archives, for those whose members the dump does not tell."""
    listed = [action for action in actions if action.outputs or "outputs" in action.untold]
    archives: dict[str, Sequence[str]] = dict(known_archives)
    records: list[Record] = []
    links: list[OracleAction] = []

    def add(record: Record, action: OracleAction) -> None:
        by_name = names.names_main(action.label)
        untold = action.untold
        records.append(replace(record, configuration=action.configuration, by_name=by_name, untold=untold))

    for action in listed:
        if is_archive(action):
            record = archive_record(action, names)
            if "members" not in action.untold:
                archives[record.subject] = record.fields["members"]
            add(record, action)
        elif action.mnemonic == "CppLink":
            links.append(action)
        elif action.mnemonic == "CppCompile" and action.arguments:
            add(compile_record(action, names), action)
        else:
            add(other_record(action, names), action)
    for action in links:
        add(link_record(action, names, archives), action)
    return records
