"""What runs: the runfiles tree of an executable, and the action that runs a test.

https://bazel.build/reference/test-encyclopedia and https://bazel.build/extending/rules#executable_rules
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import RunfilesTreeAction, TestAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo, FilesToRun, RunEnvironmentInfo
from bazel2ninja.analysis.runfiles import Runfiles, merge, runfiles_of

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_TIMEOUTS = {"small": "short", "medium": "moderate", "large": "long", "enormous": "eternal"}


class RunfilesEntries(Mapping[str, Artifact | None]):
    """Runfiles.entries, worked out when somebody looks: most trees of an analysis are never built."""

    __slots__ = ("_known", "_runfiles", "_workspace_name")

    def __init__(self, runfiles: Runfiles, workspace_name: str):
        self._runfiles = runfiles
        self._workspace_name = workspace_name
        self._known: dict[str, Artifact | None] | None = None

    def _entries(self) -> dict[str, Artifact | None]:
        if self._known is None:
            self._known = self._runfiles.entries(self._workspace_name)
        return self._known

    def __getitem__(self, path: str) -> Artifact | None:
        return self._entries()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    # The rest is what Mapping gives, but made by the dict itself: many trees have many entries.
    def keys(self) -> KeysView[str]:
        return self._entries().keys()

    def values(self) -> ValuesView[Artifact | None]:
        return self._entries().values()

    def items(self) -> ItemsView[str, Artifact | None]:
        return self._entries().items()


def executable_target(
    ctx: RuleContext, artifact: Artifact, runfiles: Runfiles | None = None, files: Depset | None = None
) -> Any:
    """The DefaultInfo of an executable (or test) whose program is `artifact`.

    files: what building the target makes, by default the program.  When the implementation has returned, the analysis
    adds the runfiles tree, and for a test the action that runs it, from the attributes that all tests have.
    """
    return DefaultInfo(
        files=Depset((artifact,)) if files is None else files,
        runfiles=ctx.runfiles((artifact,)) if runfiles is None else merge((runfiles, runfiles_of((artifact,)))),
        executable=artifact,
    )


def files_to_run(ctx: RuleContext, executable: Artifact, runfiles: Runfiles) -> FilesToRun:
    """Registers the runfiles tree X.runfiles of the executable X."""
    root = ctx.configuration.bin
    directory = executable.exec_path + ".runfiles"
    manifest = ctx.declare_below(directory[len(root) + 1 :] + "/MANIFEST")
    links = tuple(entry.s_target_file for entry in runfiles.symlinks.flatten())
    roots = tuple(entry.s_target_file for entry in runfiles.root_symlinks.flatten())
    ctx.register(
        RunfilesTreeAction(
            **ctx.identity("SymlinkTree"),
            outputs=(manifest,),
            inputs=tuple(dict.fromkeys((*links, *roots))),
            input_sets=(runfiles.files,),
            entries=RunfilesEntries(runfiles, ctx.workspace_name),
            directory=directory,
        )
    )
    return FilesToRun(executable, manifest, runfiles)


def register_test(ctx: RuleContext, run: FilesToRun, environment: Any) -> TestAction:
    """Registers the action that runs a test; `environment` is its RunEnvironmentInfo, or None."""
    assert run.executable is not None
    assert run.manifest is not None
    size = ctx.attribute("size")
    log = ctx.analyzer.test_log(ctx.configuration, ctx.label)
    variables = dict(environment.s_environment) if environment is not None else {}
    inherited = list(environment.s_inherited_environment) if environment is not None else []
    for name, value in ctx.settings.test_environment:
        if value is None:
            inherited.append(name)
        else:
            variables[name] = value
    action = TestAction(
        **ctx.identity("TestRunner"),
        outputs=(log,),
        inputs=(run.executable, run.manifest),
        input_sets=(run.runfiles.files,),
        executable=run.executable,
        runfiles_directory=run.manifest.exec_path.rpartition("/")[0],
        arguments=arguments(ctx),
        environment=variables,
        inherited_environment=tuple(dict.fromkeys(inherited)),
        size=size,
        timeout=ctx.attribute("timeout") or _TIMEOUTS[size],
        shard_count=max(0, ctx.attribute("shard_count")),
        tags=tuple(ctx.attribute("tags")),
        flaky=bool(ctx.attribute("flaky")),
    )
    ctx.register(action)
    return action


def arguments(ctx: RuleContext) -> tuple[str, ...]:
    """The words of the attribute `args`."""
    return ctx.expand_and_tokenize("args", runfiles=True) if ctx.has_attribute("args") else ()


def run_environment(ctx: RuleContext) -> Any:
    """The RunEnvironmentInfo of the attributes `env` and `env_inherit` of a native executable."""
    values = {
        name: ctx.expand(text, "env", runfiles=True)
        for name, text in (ctx.attribute("env") if ctx.has_attribute("env") else {}).items()
    }
    inherited = ctx.attribute("env_inherit") if ctx.has_attribute("env_inherit") else ()
    return RunEnvironmentInfo(values, tuple(inherited))
