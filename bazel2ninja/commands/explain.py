"""`bazel2ninja explain`: where a target or a file comes from, which select() branches it took, what asks for it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from bazel2ninja.analysis.action import Action, CppCompileAction, SpawnAction
from bazel2ninja.commands import workspace_words
from bazel2ninja.diagnostics import Diagnostic, UsageError, WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier, parse_label
from bazel2ninja.loading.select import DEFAULT_CONDITION, Select, SelectList
from bazel2ninja.loading.target import OutputFile, RuleTarget, Target
from bazel2ninja.ninja.paths import PathMapper
from bazel2ninja.pipeline.loaded_targets import LoadedTargets
from bazel2ninja.pipeline.progress import Progress
from bazel2ninja.pipeline.session import Request, Session, borrowed_root
from bazel2ninja.query.evaluate import Evaluator
from bazel2ninja.query.output import source_text

USAGE = "bazel2ninja explain [OPTION...] SRC LABEL|FILE"
_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = (
        "FILE is a source file, or an output as the manifest names it (bazel-out/...).\n" + workspace_words.EPILOG
    )


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    _, source, rest = workspace_words.split(parser, words)
    with borrowed_root() as root, Progress("reading the workspace"):
        session = Session(Request(source=source, words=rest, output_root=root, environment=os.environ))
        if len(session.options.targets) != 1:
            raise UsageError(Diagnostic(f"expected one label or file to explain, got {len(session.options.targets)}"))
        lines = list(_explain(session, session.options.targets[0]))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _explain(session: Session, text: str) -> Iterator[str]:
    if text.startswith("bazel-out/"):
        label, action = _generated(session, text)
        yield from _action(text, action)
        yield ""
        yield from _target(session, session.loader.target(label))
        return
    yield from _target(session, session.loader.target(_label(session, text)))


def _label(session: Session, text: str) -> Label:
    """A label, or the label of a source file named by a path (as the process opens it, or inside the workspace)."""
    if text.startswith(("//", "@", ":")):
        return parse_label(text, PackageIdentifier("", ""), session.workspace.mapping)
    inside = PathMapper.between(session.source, text).source if os.path.exists(text) else text
    if inside.startswith("../") and not os.path.exists(os.path.join(session.source, inside)):
        raise WorkspaceError(Diagnostic(f"'{text}' is not in the workspace"))
    parts = inside.split("/")
    for end in range(len(parts) - 1, -1, -1):
        package = PackageIdentifier("", "/".join(parts[:end]))
        try:
            session.loader.package(package)
        except WorkspaceError:
            continue
        return Label(package, "/".join(parts[end:]))
    raise WorkspaceError(Diagnostic(f"no package holds '{text}'"))


def _generated(session: Session, path: str) -> tuple[Label, Action]:
    from bazel2ninja.pipeline import build

    result = build.analyse(session, ["//..."])
    action = result.graph.generator(path)
    if action is None:
        raise WorkspaceError(
            Diagnostic(f"no action that '//...' needs makes '{path}'", help="options must be those of 'generate'")
        )
    return action.owner, action


def _action(path: str, action: Action) -> Iterator[str]:
    yield f"{path}"
    yield f"  made by: {action.mnemonic} of {action.owner}"
    yield f"  configuration: {action.configuration}"
    if isinstance(action, CppCompileAction):
        yield f"  source: {action.source.exec_path}"
        yield from _words("defines", action.defines)
        yield from _words("include directories", (*action.quote_includes, *action.includes, *action.system_includes))
        yield from _words("options of the project", action.copts)
    elif isinstance(action, SpawnAction):
        yield from _words("command", (str(word) for word in action.arguments))
    inputs = action.all_inputs()
    yield f"  reads {len(inputs)} files:"
    yield from (f"    {artifact.exec_path}" for artifact in inputs[:_SHOWN])
    if len(inputs) > _SHOWN:
        yield f"    ... and {len(inputs) - _SHOWN} more"


def _words(name: str, words: Iterable[str]) -> Iterator[str]:
    text = " ".join(words)
    if text:
        yield f"  {name}: {text}"


def _target(session: Session, target: Target) -> Iterator[str]:
    yield f"{target.label}"
    yield f"  kind: {target.kind}"
    yield f"  made at: {target.location}"
    if isinstance(target, RuleTarget):
        for where, function in target.frames[1:]:
            yield f"    in {function}, at {where}"
        if target.generator_function:
            yield f"  macro: {target.generator_function}(name = {target.generator_name!r})"
        if target.rule_class.defined_in is not None:
            yield f"  rule defined in: {target.rule_class.defined_in}"
        yield from _attributes(session, target)
    elif isinstance(target, OutputFile):
        yield f"  made by: {target.generating_rule}"
    yield from _wanted_by(session, target)


def _attributes(session: Session, target: RuleTarget) -> Iterator[str]:
    configuration = session.configurations.target
    for name, value in target.attributes.items():
        if not isinstance(value, SelectList):
            continue
        attribute = target.rule_class.attributes[name]
        for element in value.elements:
            if not isinstance(element, Select):
                continue
            key, branch = session.conditions.choose(element, attribute, configuration, target)
            yield f"  {name}: select() takes {'the default' if key is DEFAULT_CONDITION else repr(key.short)}"
            yield f"    value: {source_text(branch)}"
            for condition in element.branches:
                if condition is DEFAULT_CONDITION or not isinstance(condition, Label):
                    continue
                match = session.conditions.matches(condition, configuration, element.location)
                verdict = "holds" if match else "does not hold"
                yield f"    {condition.short} {verdict}: {match.why}"


def _wanted_by(session: Session, target: Target) -> Iterator[str]:
    evaluator = Evaluator(LoadedTargets(session), implicit_deps=False)
    consumers = [
        label
        for label in evaluator.source.labels("//...")
        if label is not target.label and target.label in evaluator.dependencies(label)
    ]
    yield f"  wanted by {len(consumers)} targets:" if consumers else "  wanted by no target"
    yield from (f"    {label}" for label in consumers[:_SHOWN])
    if len(consumers) > _SHOWN:
        yield f"    ... and {len(consumers) - _SHOWN} more"
