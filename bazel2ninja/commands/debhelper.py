"""`bazel2ninja debhelper STEP`: what the debhelper build system calls; docs/debian.md."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence

from bazel2ninja.commands import generate
from bazel2ninja.debpkg import built_using, needed_packages, symbols
from bazel2ninja.debpkg.build_environment import BuildEnvironment, plain_version, upstream_version
from bazel2ninja.debpkg.build_log import BuildLog
from bazel2ninja.debpkg.settings import FILE, Settings
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError
from bazel2ninja.pipeline.packaging import read_settings

CHANGELOG = "debian/changelog"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bazel2ninja debhelper STEP [OPTION...] [-- WORD...]"
    parser.description = "Does a step of a Debian package build, in the directory of debian/."
    parser.add_argument(
        "step",
        metavar="STEP",
        choices=("configure", "substvars", "symbols"),
        help="configure: write the manifest; substvars: print the substitution variables of built packages; symbols: "
        "print a symbols file for the libraries of one package, with what depends on the compiler marked as optional",
    )
    parser.add_argument(
        "--package",
        action="append",
        default=[],
        metavar="NAME=DIR",
        help="a binary package and the directory with its files; may be given several times",
    )
    parser.add_argument("--source", default=".", metavar="DIR", help="the workspace (default: the current directory)")
    parser.add_argument("--build", default="", metavar="DIR", help="the directory in which ninja runs")
    parser.add_argument("--print", action="store_true", help="print the command that would be run")
    parser.add_argument("words", nargs="*", metavar="WORD", help="further options of 'bazel2ninja generate'")


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own, extra = list(words), []
    if "--" in own:
        position = own.index("--")
        own, extra = own[:position], own[position + 1 :]
    options = parser.parse_args(own)
    if options.words:
        raise UsageError(Diagnostic(f"unexpected word '{options.words[0]}'", help="words for generate come after '--'"))
    packages = dict(_package(text) for text in options.package)
    if options.step == "symbols":
        for name, directory in packages.items():
            sys.stdout.write(symbols.symbols_file(name, directory, _version()))
        return 0
    if not options.build:
        raise UsageError(Diagnostic("--build is needed", help="name the directory in which ninja runs"))
    if options.step == "substvars":
        log = BuildLog(options.build)
        for name, text in built_using.substitutions(packages, log).items():
            print(f"{name} {built_using.FIELD}={text}")
        for name, text in needed_packages.depends(packages, log).items():
            print(f"{name} {needed_packages.FIELD}={text}")
        return 0
    settings = read_settings(FILE) if os.path.exists(FILE) else Settings()
    command = generate_words(settings, BuildEnvironment.of(os.environ), options.source, options.build, extra)
    print(shlex.join(["bazel2ninja", "generate", *command]), file=sys.stdout, flush=True)
    if options.print:
        return 0
    again = type(parser)(prog="bazel2ninja generate", allow_abbrev=False)
    generate.add_arguments(again)
    return generate.run(again, command)


def _package(text: str) -> tuple[str, str]:
    name, equals, directory = text.partition("=")
    if not equals or not os.path.isdir(directory):
        raise UsageError(Diagnostic(f"--package={text}: expected NAME=DIR with a directory that exists"))
    return name, directory


def generate_words(
    settings: Settings, environment: BuildEnvironment, source: str, build: str, extra: Sequence[str]
) -> list[str]:
    """The words of `bazel2ninja generate` for a package build; what the environment asks for comes from here only."""
    tests = settings.tests if environment.tests else ()
    words = ["-o", os.path.join(build, "build.ninja"), "--prefix=/usr"]
    if environment.multiarch:
        words.append(f"--libdir=lib/{environment.multiarch}")
    words.append(f"--package-version={_version()}")
    words += [f"--skip={path}" for path in (os.path.join(source, "debian"), build) if _is_inside(path, source)]
    if settings.path:
        words.append(f"--packaging={settings.path}")
    if environment.isa:
        words += [f"--isa={level.name}" for level in settings.isa if level.machine == environment.machine]
    words += ["-c", "opt", source]
    words += [f"--vendor={path}" for path in settings.vendor]
    words += [
        f"--override_repository={name}={path}"
        for name, path in settings.repositories.items()
        # without tests the packages that only they need are not installed
        if environment.tests or os.path.isdir(os.path.join(source, path))
    ]
    # a build daemon's user can confine nothing in its chroot, where nothing else of the build is confined either
    words.append("--allow-unsandboxed")
    words += [*settings.flags, *settings.architecture_flags.get(environment.architecture, ()), *extra]
    patterns = dict.fromkeys((*settings.built_targets, *tests))
    # a pattern that takes targets away begins with a dash
    return [*words, "--", *patterns] if any(each.startswith("-") for each in patterns) else [*words, *patterns]


def _is_inside(path: str, directory: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(directory) + os.sep)


def _version() -> str:
    try:
        with open(CHANGELOG, encoding="utf-8") as file:
            return plain_version(upstream_version(file.read(), CHANGELOG))
    except OSError as error:
        message = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise UsageError(
            Diagnostic(message, Location(CHANGELOG), help="run in the directory that holds debian/")
        ) from None
