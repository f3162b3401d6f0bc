"""Splits a command line into our options, the workspace, and the words that are Bazel's.

Bazel's options and target patterns may stand anywhere, so argparse sees only the words that are ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bazel2ninja.configuration.option_table import abbreviated, native_options
from bazel2ninja.diagnostics import Diagnostic, UsageError

EPILOG = """\
OPTION is any option of 'bazel build', such as -c opt, --copt=-O2, --define=x=y, --config=NAME, --platforms=LABEL,
--//pkg:flag=value, --override_repository=NAME=PATH, -k; --vendor=DIR names a directory of vendored repositories.
TARGET is a target pattern; when there is none, what the profile of the project says, else '//...'.
--allow-missing-repositories makes the BUILD file that the project has for a repository do where its sources are absent.
--no-execute=PROGRAM refuses a program to repository rules; --allow-unsandboxed lets them run programs where the kernel
gives no user and network namespaces.
--profile=FILE names a profile, --noprofile refuses the built-in ones; --bazel_release=N is the release of Bazel whose
language and defaults are meant (default: what .bazelversion or the profile says).
"""

OWN_OPTIONS = ("--profile", "--bazel_release", "--vendor")
"""Options of every command that Bazel lacks, or has with another meaning; each takes a value."""


def split(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[argparse.Namespace, str, list[str]]:
    """(our options, the first word that is no option: SRC, all the other words in order).

    Raises UsageError when SRC is missing or one of our options lacks its value.
    """
    ours: list[str] = []
    rest: list[str] = []
    source: str | None = None
    known = parser._option_string_actions  # the one place that has them all
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        name, equals, _ = word.partition("=")
        action = known.get(name)
        if action is not None:
            ours.append(word)
            if action.nargs != 0 and not equals and position < len(words):
                ours.append(words[position])
                position += 1
        elif word == "--":
            rest += words[position - 1 :]
            break
        elif word.startswith("-"):
            rest.append(word)
            if not equals and _takes_value(word) and position < len(words):
                rest.append(words[position])
                position += 1
        elif source is None:
            source = word
        else:
            rest.append(word)
    namespace = parser.parse_args(ours)
    if source is None:
        raise UsageError(
            Diagnostic("no workspace directory given", help=f"write '{parser.prog} SRC'; see '{parser.prog} --help'")
        )
    return namespace, source, rest


def _takes_value(word: str) -> bool:
    """Whether the word after this option is its value."""
    if word in OWN_OPTIONS:
        return True
    if word.startswith("--"):
        option = native_options().get(word[2:])
        return option is not None and not option.negatable and option.type != "void"
    if len(word) == 2:
        option = abbreviated(word[1])
        return option is not None and not option.negatable
    return False
