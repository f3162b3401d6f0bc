"""`bazel2ninja isa-check LIB...`: instructions that the baseline's processors lack."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from bazel2ninja.debpkg import isa_check
from bazel2ninja.debpkg.elf_files import needed_level, require_x86
from bazel2ninja.debpkg.isa_instructions import LEVELS, level_name
from bazel2ninja.debpkg.isa_objects import raised_objects
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, render


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bazel2ninja isa-check [OPTION...] FILE..."
    parser.epilog = (
        "Exit status 3 when there is a function that uses instructions above the baseline and that no ifunc and no -m\n"
        "option of its own object accounts for. Function names come from the symbol table: check before stripping."
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a shared library or program")
    parser.add_argument(
        "--baseline",
        choices=LEVELS,
        metavar="LEVEL",
        help="x86-64, x86-64-v2, -v3 or -v4 (default: the level with which the file is marked, else x86-64)",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="REGEX",
        help="functions that check the processor themselves, by name; may be given several times",
    )
    parser.add_argument(
        "--build", metavar="DIR", help="where it was built with ninja: tells objects compiled with -m options"
    )


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    options = parser.parse_args(words)
    try:
        allowed = [re.compile(pattern) for pattern in options.allow]
    except re.error as error:
        raise UsageError(Diagnostic(f"--allow is no regular expression: {error}")) from None
    found = False
    for library in options.files:
        require_x86(library)
        baseline = options.baseline or needed_level(library) or LEVELS[0]
        raised = raised_objects(options.build, library) if options.build else []
        report = isa_check.check(library, LEVELS.index(baseline), raised)
        if report.stripped:
            note = Diagnostic(
                "is stripped: local functions are told by the name of the exported one before them",
                Location(library),
                "note",
                help="check the file that the linker made",
            )
            print(render(note), file=sys.stderr)
        findings = [each for each in report.findings if not any(p.fullmatch(each.function) for p in allowed)]
        for finding in findings:
            found = True
            needs = f"{level_name(finding.level)} ({', '.join(finding.extensions)})"
            print(f"{library}: {finding.function}: {finding.count} instructions need {needs}, first: {finding.first}")
            if finding.kind == "weak":
                print(f"    from {finding.origin}: a weak symbol, which code for the baseline may call")
        print(
            f"{library}: {report.functions} functions, {len(findings)} unguarded above {baseline}, "
            f"{report.by_ifunc} behind ifuncs, {report.by_object} in objects with -m options"
        )
    return 3 if found else 0
