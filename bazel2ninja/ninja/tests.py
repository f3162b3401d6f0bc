"""Tests as edges: each runs a test, or one shard of it, under `bazel2ninja.testing.run`, and always succeeds.

So every test runs, whatever the others do.  What ninja watches is a file that exists only after a pass: a failure runs
again the next time.  The summary edges fail when a test has failed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from bazel2ninja.analysis.action import TestAction
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.context import TIMEOUTS, Context
from bazel2ninja.ninja.parts import TestFacts
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.ninja.statements import RESTAT, Edge, Rule

ENVIRONMENT = f"{SIDE}/test-environment"
SUMMARY = f"{SIDE}/test-summary"
ALWAYS = f"{SIDE}/always"
"""A phony target that is never up to date: what depends on it runs each time."""

_SUMMARY_FILES = {"rspfile": "$out.rsp", "rspfile_content": "$in_newline"}
RULES = (
    Rule("run_test", "$python -P -m bazel2ninja.testing.run $words", "test $what"),
    Rule(
        "summarize",
        "$python -P -m bazel2ninja.testing.summary --stamp=$out $out.rsp",
        "results of tests",
        _SUMMARY_FILES,
    ),
    Rule(
        "test_environment",
        "{ env | LC_ALL=C grep -E '^($names)=' | LC_ALL=C sort; } >$out.new; "
        "if cmp -s $out.new $out; then rm -f $out.new; else mv -f $out.new $out; fi",
        "look at the tests' environment",
        RESTAT,
    ),
)

_READ = ("TESTBRIDGE_TEST_ONLY",)


def facts(action: TestAction) -> TestFacts:
    """What the summaries ask of a test."""
    return TestFacts(
        str(action.owner),
        tuple(syntax.path(passed(action, shard)) for shard in range(1, max(action.shard_count, 1) + 1)),
        "manual" in action.tags,
        tuple(action.inherited_environment),
    )


def environment_edges(context: Context, known: Sequence[TestFacts]) -> Iterator[Edge]:
    """The edge that notices a change of the environment variables that tests see of whoever runs ninja."""
    names = {*_READ, *(name for test in known for name in test.inherited)}
    names.update(name for name, text in context.options.tests.environment.items() if text is None)
    # nothing else in a name that could be a regular expression or end the shell's word
    usable = sorted(name for name in names if name.isidentifier() and name.isascii())
    yield Edge(
        "test_environment",
        [syntax.path(ENVIRONMENT)],
        implicit=[ALWAYS],
        variables={"names": syntax.value("|".join(usable))},
    )


def lower_test(context: Context, action: TestAction) -> Iterator[Edge]:
    """One edge for each shard."""
    mapper = context.mapper
    inputs = [*context.inputs(action), syntax.path(ENVIRONMENT)]
    if "external" in action.tags:
        inputs.append(ALWAYS)  # depends on something outside that nobody watches
    for shard in range(1, max(action.shard_count, 1) + 1):
        directory = shard_directory(action, shard)
        words = [*_words(context, action), f"--directory={directory}"]
        what = str(action.owner)
        if action.shard_count > 1:
            words.append(f"--shard={shard}/{action.shard_count}")
            what += f" ({shard} of {action.shard_count})"
        words += ["--", *action.arguments, *context.options.tests.arguments]
        if any("\0" in word for word in words):
            raise WorkspaceError(Diagnostic("arguments and environment of a test cannot hold the character NUL"))
        text = syntax.shell_words(words)
        edge = Edge("run_test", [syntax.path(passed(action, shard))], implicit=inputs)
        if not syntax.writable(text) or len(text) > 32_000:
            arguments = context.side_files.add("test-arguments", f"{directory}.args", "\0".join(words))
            edge.implicit = [*inputs, syntax.path(arguments)]
            text = syntax.shell_word(f"@{arguments}")
        edge.variables = {"words": syntax.value(text), "what": syntax.value(what)}
        if "exclusive" in action.tags:
            edge.variables["pool"] = "exclusive"
        if action.shard_count < 2:
            edge.implicit_outputs = mapper.nodes(action.outputs)
        yield edge
    if action.shard_count > 1:
        records = [syntax.path(passed(action, shard)) for shard in range(1, action.shard_count + 1)]
        yield Edge("phony", mapper.nodes(action.outputs), records)


def shard_directory(action: TestAction, shard: int) -> str:
    """Where the logs of a shard go: as under Bazel, beside test.log of the whole or below it."""
    directory = posixpath.dirname(action.primary_output.exec_path)
    return f"{directory}/shard_{shard}_of_{action.shard_count}" if action.shard_count > 1 else directory


def passed(action: TestAction, shard: int) -> str:
    """The file that exists when the shard has passed."""
    return shard_directory(action, shard) + "/test.passed"


def _words(context: Context, action: TestAction) -> list[str]:
    options = context.options.tests
    seconds = options.timeouts.get(action.timeout, TIMEOUTS["moderate"])
    words = [
        f"--label={action.owner}",
        f"--executable={action.executable.exec_path}",
        f"--binary={action.executable.short_path}",
        f"--runfiles={action.runfiles_directory}",
        f"--workspace={context.options.workspace_name}",
        f"--size={action.size}",
        f"--timeout={seconds}",
    ]
    words += [f"--output={output.exec_path}" for output in action.outputs if action.shard_count < 2]
    if action.flaky:
        words.append(f"--attempts={options.flaky_attempts}")
    words += [f"--run_under={word}" for word in options.run_under]
    if options.filter:
        words.append(f"--filter={options.filter}")
    given: dict[str, str | None] = dict(context.options.action_environment)
    given.update(options.environment)
    given.update(dict.fromkeys(action.inherited_environment))
    given.update(action.environment)
    for name, text in sorted(given.items()):
        words.append(f"--inherit={name}" if text is None else f"--env={name}={text}")
    return words


def summary_edges(known: Sequence[TestFacts], targets: Sequence[Label]) -> Iterator[Edge]:
    """`test` for the tests of `targets` that are not tagged "manual", and `test//a:b` for each one."""
    # a test may exist in several configurations
    by_label: dict[str, list[TestFacts]] = {}
    for test in known:
        by_label.setdefault(test.label, []).append(test)
    everything: list[str] = []
    for label in targets:
        found = by_label[str(label)]
        shards = [node for test in found for node in test.passed]
        if not found[0].manual:
            everything += shards
        summary = syntax.path(f"{SIDE}/tests/{_file_name(label)}")
        yield Edge("summarize", [summary], shards)
        yield Edge("phony", [syntax.path(f"test{label}")], [summary])
    if everything:
        yield Edge("summarize", [SUMMARY], everything)
        yield Edge("phony", ["test"], [SUMMARY])
    else:
        yield Edge("phony", ["test"])


def _file_name(label: Label) -> str:
    package = label.package
    return "/".join(part for part in (package.repository, package.path, label.name) if part) + ".summary"
