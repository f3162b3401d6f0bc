"""py_library, py_binary, py_test and what declares interpreters: https://bazel.build/reference/be/python

A program is a launcher beside a runfiles tree: a script that finds the tree, sets sys.path and runs the main file.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.fragments import option
from bazel2ninja.analysis.provider import Provider
from bazel2ninja.analysis.providers_builtin import DefaultInfo, ToolchainInfo
from bazel2ninja.analysis.runfiles import Runfiles, merge, runfiles_of, runfiles_path
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.rules.cc_info import CcInfo
from bazel2ninja.rules.general import data_attribute, native_rule, table
from bazel2ninja.starlark.errors import error

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

T = AttributeType
_VERSION = "Python 3 is the only version"
_INTERPRETER = "/usr/bin/python3"


def _py_info(
    *,
    transitive_sources: Any,
    uses_shared_libraries: Any = False,
    imports: Any = None,
    has_py2_only_sources: Any = False,
    has_py3_only_sources: Any = False,
    **newer: Any,
) -> dict[str, Any]:
    if not isinstance(transitive_sources, Depset):
        raise error("in call to PyInfo(), parameter 'transitive_sources' must be a depset of Files")
    return {
        "transitive_sources": transitive_sources,
        "uses_shared_libraries": bool(uses_shared_libraries),
        "imports": Depset() if imports is None else imports,
        "has_py2_only_sources": bool(has_py2_only_sources),
        "has_py3_only_sources": bool(has_py3_only_sources),
        **newer,
    }


PyInfo = Provider("PyInfo", None, _py_info)
"""https://bazel.build/rules/lib/providers/PyInfo"""


def _py_runtime_info(
    *,
    interpreter_path: Any = None,
    interpreter: Any = None,
    files: Any = None,
    python_version: Any = "PY3",
    **newer: Any,
) -> dict[str, Any]:
    return {
        "interpreter_path": interpreter_path,
        "interpreter": interpreter,
        "files": Depset() if files is None and interpreter is not None else files,
        "python_version": python_version,
        **newer,
    }


PyRuntimeInfo = Provider("PyRuntimeInfo", None, _py_runtime_info)
"""https://bazel.build/rules/lib/providers/PyRuntimeInfo"""


def _own_imports(ctx: RuleContext) -> list[str]:
    """Directories for sys.path below the runfiles tree, of the attribute `imports`."""
    package = ctx.label.package
    root = package.repository or ctx.workspace_name
    base = posixpath.join(root, package.path)
    found = []
    for text in ctx.attribute("imports"):
        word = ctx.expand(text, "imports", locations=False)
        if word.startswith("/"):
            continue
        path = posixpath.normpath(posixpath.join(base, word))
        if path.startswith(".."):
            raise ctx.error(f"path '{word}' references a path above the execution root", "imports")
        found.append(path)
    return found


def _info(ctx: RuleContext) -> Any:
    dependencies = [info for target in ctx.dependencies("deps") if (info := target.get(PyInfo)) is not None]
    sources = tuple(file for file in ctx.files("srcs") if file.exec_path.endswith((".py", ".py3")))
    return PyInfo(
        transitive_sources=Depset(sources, [info.s_transitive_sources for info in dependencies], "postorder"),
        imports=Depset(_own_imports(ctx), [info.s_imports for info in dependencies]),
        uses_shared_libraries=any(info.s_uses_shared_libraries for info in dependencies)
        or any(file.exec_path.endswith(".so") for file in ctx.files("data")),
    )


def _runfiles(ctx: RuleContext, info: Any) -> Runfiles:
    parts = [runfiles_of(ctx.files("srcs"), (info.s_transitive_sources,))]
    parts += [target.default_runfiles for target in ctx.dependencies("deps")]
    parts.append(ctx.runfiles(collect_data=True))
    return merge(parts)


def _library(ctx: RuleContext) -> Iterable[Any]:
    info = _info(ctx)
    yield DefaultInfo(files=Depset(ctx.files("srcs")), runfiles=_runfiles(ctx, info))
    yield info


def _main_file(ctx: RuleContext) -> Artifact:
    """The source whose path ends with what `main` is called: the file of that label need not exist.

    As Bazel 0.x to 8 have it, in Java (PythonUtils, PyExecutable) and Starlark (py_executable's determine_main) alike.
    """
    main = ctx.attribute("main")
    if main is None:
        if ctx.label.name.endswith(".py"):
            raise ctx.error("name must not end in '.py'", "name")
        wanted = ctx.label.name + ".py"
    else:
        wanted = main.name
        if not wanted.endswith(".py"):
            raise ctx.error("main must end in '.py'", "main")
    found = [file for file in ctx.files("srcs") if f"/{file.short_path}".endswith(f"/{wanted}")]
    if len(found) > 1:
        first, second = (file.short_path for file in found[:2])
        if main is None:
            message = (
                f"default main file name '{wanted}' matches multiple files.  Perhaps specify an explicit file with "
                f"'main' attribute?  Matches were: '{first}' and '{second}'"
            )
        else:
            message = (
                f"file name '{wanted}' specified by 'main' attribute matches multiple files: e.g., '{first}' and "
                f"'{second}'"
            )
        raise ctx.error(message, "srcs")
    if not found:
        if main is None:
            message = (
                f"corresponding default '{wanted}' does not appear in srcs. Add it or override default file name with "
                "a 'main' attribute"
            )
        else:
            message = f"could not find '{wanted}' as specified by 'main' attribute"
        raise ctx.error(message, "srcs")
    return found[0]


def _launcher(ctx: RuleContext, main: Artifact, imports: Depset) -> str:
    with open(os.path.join(os.path.dirname(__file__), "python_launcher.txt"), encoding="utf-8") as file:
        template = file.read()
    interpreter = option(ctx.configuration, "python_path") or "/usr/bin/env python3"
    if not interpreter.startswith("/"):
        raise ctx.error(f"--python_path={interpreter}: the path of an interpreter must be absolute")
    return (
        template.replace("%INTERPRETER%", interpreter)
        .replace("%WORKSPACE%", repr(ctx.workspace_name))
        .replace("%MAIN%", repr(runfiles_path(main, ctx.workspace_name)))
        .replace("%IMPORTS%", repr(list(imports.flatten())))
    )


def _program(ctx: RuleContext) -> Iterable[Any]:
    main = _main_file(ctx)
    info = _info(ctx)
    program = ctx.declare(ctx.label.name)
    ctx.register(
        WriteAction(
            **ctx.identity("FileWrite"),
            outputs=(program,),
            content=_launcher(ctx, main, info.s_imports),
            executable=True,
        )
    )
    gathered = merge((_runfiles(ctx, info), runfiles_of((main, program))))
    if ctx.attribute("legacy_create_init") != 0:
        gathered = Runfiles(gathered.files, gathered.symlinks, gathered.root_symlinks, python_packages=True)
    return [*ctx.executable_target(program, gathered, Depset((*ctx.files("srcs"), program))), info]


def _runtime(ctx: RuleContext) -> Iterable[Any]:
    interpreter = ctx.dependency("interpreter")
    path = ctx.attribute("interpreter_path")
    if (interpreter is None) == (not path):
        raise ctx.error("exactly one of the 'interpreter' or 'interpreter_path' attributes must be specified")
    files = Depset(ctx.files("files"))
    yield DefaultInfo(files=files, runfiles=runfiles_of(transitive=(files,)))
    yield PyRuntimeInfo(
        interpreter_path=path or None,
        interpreter=interpreter.files.flatten()[0] if interpreter is not None else None,
        files=files if interpreter is not None else None,
    )


def _runtime_pair(ctx: RuleContext) -> Iterable[Any]:
    runtime = ctx.dependency("py3_runtime")
    info = runtime.get(PyRuntimeInfo) if runtime is not None else None
    yield ToolchainInfo(py2_runtime=None, py3_runtime=info)


_LIBRARY = (
    Attribute("srcs", T.LABEL_LIST, allow_files=(".py", ".py3")),
    Attribute("deps", T.LABEL_LIST, providers=((PyInfo,), (CcInfo,), ("py",))),
    data_attribute(),
    Attribute("imports", T.STRING_LIST),
    Attribute("srcs_version", T.STRING, irrelevant=_VERSION),
    Attribute("pyi_srcs", T.LABEL_LIST, irrelevant="type stubs are not run"),
    Attribute("pyi_deps", T.LABEL_LIST, irrelevant="type stubs are not run"),
    Attribute("experimental_venvs_site_packages", T.LABEL, irrelevant="there is no virtual environment"),
    Attribute("precompile", T.STRING, irrelevant="sources are run as they are"),
)
_PROGRAM = (
    *_LIBRARY,
    Attribute("main", T.LABEL, allow_files=True),
    Attribute("legacy_create_init", T.TRISTATE),
    Attribute("python_version", T.STRING, configurable=False, irrelevant=_VERSION),
    Attribute("default_python_version", T.STRING, configurable=False, irrelevant=_VERSION),
    Attribute("stamp", T.TRISTATE, irrelevant="no build has a stamp: builds repeat"),
    Attribute("paropts", T.STRING_LIST, irrelevant="it had no effect in any release"),
)

PYTHON_RULES = table(
    native_rule("py_library", _LIBRARY, _library),
    native_rule("py_binary", _PROGRAM, _program, executable=True),
    native_rule("py_test", _PROGRAM, _program, test=True),
    native_rule(
        "py_runtime",
        (
            Attribute("files", T.LABEL_LIST, allow_files=True),
            Attribute("interpreter", T.LABEL, allow_files=True, single_file=True),
            Attribute("interpreter_path", T.STRING),
            Attribute("python_version", T.STRING, irrelevant=_VERSION),
            Attribute("stub_shebang", T.STRING, irrelevant="the launcher has its own"),
            Attribute("bootstrap_template", T.LABEL, irrelevant="the launcher is not made from a template"),
            Attribute("coverage_tool", T.LABEL, irrelevant="coverage is never collected"),
        ),
        _runtime,
    ),
    native_rule(
        "py_runtime_pair",
        (
            Attribute("py2_runtime", T.LABEL, irrelevant=_VERSION),
            Attribute("py3_runtime", T.LABEL, providers=((PyRuntimeInfo,),)),
        ),
        _runtime_pair,
    ),
)
PYTHON_GLOBALS = {"PyInfo": PyInfo, "PyRuntimeInfo": PyRuntimeInfo}
"""What these rules add to .bzl files."""
