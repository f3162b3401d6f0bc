"""$(location ...) and "Make" variables in attribute values.

https://bazel.build/reference/be/make-variables and https://bazel.build/rules/lib/builtins/ctx#expand_location
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.shell import escape
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label, LabelSyntaxError, PackageIdentifier

_EXEC = "exec"
_ROOT = "root"
_RLOCATION = "rlocation"
_DEFAULT = "default"

LOCATION_FUNCTIONS: Mapping[str, tuple[str, bool]] = {
    "location": (_DEFAULT, False),
    "locations": (_DEFAULT, True),
    "execpath": (_EXEC, False),
    "execpaths": (_EXEC, True),
    "rootpath": (_ROOT, False),
    "rootpaths": (_ROOT, True),
    "rlocationpath": (_RLOCATION, False),
    "rlocationpaths": (_RLOCATION, True),
}
"""Function name -> (kind of path, whether several files are allowed)."""

_MAXIMUM_DEPTH = 10  # of variables whose values name variables
_FILES_SHOWN = 5


def _callable(path: str) -> str:
    """`path` so that a shell would not look for it in PATH, which is how Bazel writes the location of a file."""
    return path if "/" in path else f"./{path}"


class LocationExpander:
    """Knows what $(location LABEL) means inside one target.

    files: label as the target writes it (an alias under its own name) -> files.
    parse: text -> Label, relative to the target's package; raises LabelSyntaxError.
    runfiles: $(location) gives runfiles paths, as in `args` and `env` of tests and binaries, not exec paths.
    legacy_external: those of other repositories start with external/ (--legacy_external_runfiles), not with ../
    """

    def __init__(
        self,
        files: Mapping[Label, tuple[Artifact, ...]],
        parse: Callable[[str], Label],
        workspace_name: str,
        *,
        runfiles: bool = False,
        legacy_external: bool = False,
    ):
        self._files = files
        self._parse = parse
        self._workspace_name = workspace_name
        self._default = _ROOT if runfiles else _EXEC
        self._legacy_external = legacy_external

    def path(self, artifact: Artifact, kind: str) -> str:
        """The path of a file, of one kind of the table above."""
        kind = self._default if kind == _DEFAULT else kind
        if kind == _EXEC:
            return _callable(artifact.exec_path)
        if kind == _ROOT:
            short = artifact.short_path
            if self._legacy_external and short.startswith("../"):
                return f"external/{short[3:]}"
            return _callable(short)
        short = artifact.short_path
        return short[3:] if short.startswith("../") else f"{self._workspace_name}/{short}"

    def call(self, function: str, argument: str) -> str:
        """The value of $(function argument); raises WorkspaceError with Bazel's wording."""
        kind, several = LOCATION_FUNCTIONS[function]
        try:
            label = self._parse(argument.strip())
        except LabelSyntaxError as error:
            raise WorkspaceError(
                Diagnostic(f"invalid label in $({function}) expression: {error.diagnostic.message}")
            ) from None
        files = self._files.get(label)
        if files is None and label.repository and argument.strip().startswith("//"):
            # str(Label("@main//a:b")) kept the name of the main repository before Bazel 1.0, and has "//a:b" here
            files = self._files.get(Label(PackageIdentifier("", label.package.path), label.name))
        if files is None:
            raise WorkspaceError(
                Diagnostic(
                    f"label '{label}' in $({function}) expression is not a declared prerequisite of this rule",
                    help=f"name '{label.short}' in 'srcs', 'tools', 'deps' or 'data'",
                )
            )
        if not files:
            raise WorkspaceError(Diagnostic(f"label '{label}' in $({function}) expression expands to no files"))
        if not several and len(files) > 1:
            shown = ", ".join(self.path(file, kind) for file in files[:_FILES_SHOWN])
            raise WorkspaceError(
                Diagnostic(
                    f"label '{label}' in $({function}) expression expands to more than one file, please use "
                    f"$({function}s {argument}) instead.  Files (at most {_FILES_SHOWN} shown) are: [{shown}]"
                )
            )
        return " ".join(escape(path) for path in sorted({self.path(file, kind) for file in files}))

    def expand(self, text: str) -> str:
        """`text` with $(location ...) and its kin replaced; everything else, "Make" variables too, stays."""
        result: list[str] = []
        position = 0
        while True:
            start = text.find("$(", position)
            if start < 0:
                break
            escaped = start > 0 and text[start - 1] == "$"
            name, blank, _ = text[start + 2 :].partition(" ")
            if escaped or not blank or name not in LOCATION_FUNCTIONS:
                result.append(text[position : start + 2])
                position = start + 2
                continue
            end = text.find(")", start)
            if end < 0:
                raise WorkspaceError(Diagnostic(f"unterminated $({name}) expression"))
            result.append(text[position:start])
            result.append(self.call(name, text[start + 3 + len(name) : end]))
            position = end + 1
        result.append(text[position:])
        return "".join(result)


_IDENTIFIER = re.compile(r"[A-Za-z0-9_]*")
_SYMBOLS = "@<^"  # the only names that need no parentheses


def expand(
    text: str,
    variable: Callable[[str], str],
    locations: LocationExpander | None = None,
    depth: int = 0,
) -> str:
    """`text` with "Make" variables, and with `locations` the location functions, replaced in one pass; $$ becomes $.

    variable: name -> value; raises WorkspaceError when it is not defined.  Values are expanded in their turn.
    """
    if "$" not in text:
        return text
    if depth > _MAXIMUM_DEPTH:
        raise WorkspaceError(Diagnostic(f"potentially unbounded recursion during expansion of '{text}'"))
    result: list[str] = []
    position = 0
    while True:
        dollar = text.find("$", position)
        if dollar < 0:
            break
        result.append(text[position:dollar])
        position = dollar + 1
        c = text[position : position + 1]
        if c == "$":
            result.append("$")
            position += 1
            continue
        if c == "(":
            end = text.find(")", position)
            if end < 0:
                raise WorkspaceError(Diagnostic("unterminated variable reference"))
            name, position = text[position + 1 : end], end + 1
        elif c and c in _SYMBOLS:
            name, position = c, position + 1
        else:
            raise _unsupported(text, position, c)
        function, blank, argument = name.partition(" ")
        if blank:
            if locations is None or function not in LOCATION_FUNCTIONS:
                raise WorkspaceError(Diagnostic(f"$({function}) not defined"))
            result.append(locations.call(function, argument))
            continue
        value = variable(name)
        result.append(value if value == name else expand(value, variable, locations, depth + 1))
    result.append(text[position:])
    return "".join(result)


def _unsupported(text: str, position: int, c: str) -> WorkspaceError:
    if not c:
        return WorkspaceError(Diagnostic("unterminated $"))
    if c == "{":
        end = text.find("}", position)
        if end < 0:
            return WorkspaceError(Diagnostic("unterminated variable reference"))
        name = text[position + 1 : end]
        written = "${" + name + "}"
    else:
        found = _IDENTIFIER.match(text, position)
        name = (found.group() if found else "") or c
        written = "$" + name
    return WorkspaceError(
        Diagnostic(
            f"'{written}' syntax is not supported; use '$({name})' instead for \"Make\" variables, or escape the '$' "
            "as '$$' if you intended this for the shell"
        )
    )
