"""`bazel2ninja graph`: the targets that something needs, drawn."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence

from bazel2ninja.commands import workspace_words
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.pipeline.build import wanted_labels
from bazel2ninja.pipeline.loaded_targets import LoadedTargets
from bazel2ninja.pipeline.progress import Progress
from bazel2ninja.pipeline.session import Request, Session, borrowed_root
from bazel2ninja.query import drawing
from bazel2ninja.query.evaluate import Evaluator

USAGE = "bazel2ninja graph [--format svg|html|dot|json] [OPTION...] SRC [TARGET...]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = workspace_words.EPILOG
    parser.add_argument("--format", choices=("svg", "html", "dot", "json"), default="svg", help="default: svg")
    parser.add_argument("--files", action="store_true", help="draw source and generated files as well as rules")
    parser.add_argument("--external", action="store_true", help="draw the targets of external repositories as well")


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own, source, rest = workspace_words.split(parser, words)
    with borrowed_root() as root, Progress("reading the workspace"):
        session = Session(Request(source=source, words=rest, output_root=root, environment=os.environ))
        network = _network(session, files=own.files, external=own.external)
    sys.stdout.write(_FORMATS[own.format](network, f"{session.workspace.name}: targets and what they need"))
    return 0


def _network(session: Session, *, files: bool, external: bool) -> drawing.Network:
    evaluator = Evaluator(LoadedTargets(session), implicit_deps=False)
    front, _, failures = wanted_labels(session, session.targets)
    if failures:
        raise failures[0]
    kinds: dict[Label, str] = {}
    edges: dict[Label, list[Label]] = {}

    def shown(label: Label) -> bool:
        if label.repository and not external:
            return False
        return files or isinstance(evaluator.source.target(label), RuleTarget)

    while front:
        label = front.pop()
        if label in kinds or not shown(label):
            continue
        target = evaluator.source.target(label)
        kinds[label] = target.rule_class.name if isinstance(target, RuleTarget) else target.kind
        edges[label] = [dependency for dependency in evaluator.dependencies(label) if shown(dependency)]
        front += edges[label]
    return drawing.Network(
        {str(label): kinds[label] for label in sorted(kinds)},
        {str(label): tuple(str(end) for end in edges[label]) for label in sorted(edges)},
    )


def _json(network: drawing.Network, title: str) -> str:
    nodes = [{"label": label, "kind": kind} for label, kind in network.kinds.items()]
    document = {
        "title": title,
        "nodes": nodes,
        "edges": [[start, end] for start, ends in network.edges.items() for end in ends],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


_FORMATS: Mapping[str, drawing.Format] = {
    "svg": drawing.svg,
    "html": drawing.html,
    "dot": drawing.dot,
    "json": _json,
}
