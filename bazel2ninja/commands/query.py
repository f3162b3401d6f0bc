"""`bazel2ninja query`: ask about targets and their dependencies, before any configuration."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from bazel2ninja.commands import workspace_words
from bazel2ninja.diagnostics import Diagnostic, UsageError, render
from bazel2ninja.pipeline.loaded_targets import LoadedTargets
from bazel2ninja.pipeline.progress import Progress
from bazel2ninja.pipeline.session import Request, Session, borrowed_root
from bazel2ninja.query import language
from bazel2ninja.query.evaluate import Evaluator
from bazel2ninja.query.output import FORMATS

USAGE = "bazel2ninja query [--output=FORMAT] [OPTION...] SRC EXPRESSION"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = (
        "EXPRESSION is in the language of 'bazel query', such as 'deps(//a:b)', 'kind(cc_test, //...)',\n"
        "'somepath(//a, //b)'. Functions: " + ", ".join(sorted(language.FUNCTIONS)) + "."
    )
    parser.add_argument("--output", choices=sorted(FORMATS), default="label", help="what is printed (default: label)")
    parser.add_argument(
        "--noimplicit_deps", action="store_true", help="leave out dependencies that no BUILD file names"
    )


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own, source, rest = workspace_words.split(parser, words)
    expressions = [word for word in rest if not word.startswith("-")]
    if len(expressions) != 1:
        raise UsageError(
            Diagnostic(
                f"expected one query expression, got {len(expressions)}",
                help="put the expression in quotes: bazel2ninja query SRC 'deps(//a:b)'",
            )
        )
    tree = language.parse(expressions[0])
    options = [word for word in rest if word.startswith("-")]
    with borrowed_root() as root, Progress("reading the workspace"):
        session = Session(Request(source=source, words=options, output_root=root, environment=os.environ))
        targets = LoadedTargets(session)
        evaluator = Evaluator(targets, implicit_deps=not own.noimplicit_deps)
        labels = evaluator.evaluate(tree)
        lines = list(FORMATS[own.output](labels, evaluator))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    for failure in targets.failures:
        print(render(failure.diagnostic), file=sys.stderr)
    return 1 if targets.failures else 0
