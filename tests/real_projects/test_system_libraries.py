"""Programs built and linked against every library of the system whose -dev package is installed here.

One whose package is not there is skipped, with what to install.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from bazel2ninja.filesystem import Disk
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.pipeline.session import Request, Session
from bazel2ninja.system_libraries.library import SystemLibrary, SystemLibraryTable
from bazel2ninja.system_libraries.machine import Installed, Machine

pytestmark = pytest.mark.real_project

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARIES = sorted(SystemLibraryTable.read().libraries.values(), key=lambda library: library.name)
MACHINE = Machine(Disk(), os.environ)
BEFORE = "#include <cstddef>\n#include <cstdio>\n#define PCRE2_CODE_UNIT_WIDTH 8\n"  # what some headers want
LABELS = 25  # targets that a program depends on, of a library with a target for each .pc file
SEED = 20221


def installed(library: SystemLibrary) -> Installed:
    found = MACHINE.check(library)
    if not isinstance(found, Installed):
        pytest.skip(f"{'; '.join(found.problems)} (apt install {' '.join(library.wanted_packages)})")
    return found


def run(place: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def generate(place: Path, *words: str) -> None:
    run(place, sys.executable, "-m", "bazel2ninja", "generate", "src", "-o", "out/build.ninja", *words)


def libraries_and_programs(place: Path, repository: str) -> tuple[list[str], list[str]]:
    """Labels of the overlay's libraries and programs that are no other name of one."""
    session = Session(Request(source=str(place / "src"), output_root=str(place / "look"), environment=os.environ))
    root = session.workspace.label(f"@{repository}//:all").package
    rules = [
        target
        for package in session.loader.packages_below(root)
        for target in session.loader.package(package).targets.values()
        if isinstance(target, RuleTarget)
    ]
    libraries = [str(rule.label) for rule in rules if rule.rule_class.name == "cc_library"]
    return libraries, [str(rule.label) for rule in rules if rule.rule_class.executable]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_a_program_links_against_the_library(tmp_path: Path, library: SystemLibrary) -> None:
    installed(library)
    source = tmp_path / "src"
    source.mkdir()
    (source / "WORKSPACE").touch()
    (source / "BUILD").touch()
    libraries, programs = libraries_and_programs(tmp_path, library.repositories[0])
    libraries = [label for label in libraries if not label.endswith(":main")]  # it would be a second main()
    if library.labels:
        libraries = random.Random(SEED).sample(libraries, LABELS)
    includes = "".join(f"#include <{header}>\n" for header in library.headers)
    if libraries:
        (source / "main.cc").write_text(f"{BEFORE}{includes}int main() {{}}\n")
        options = ["-Wl,--no-as-needed"]
        if "python" in library.brings:
            options.append("-shared")  # an extension module: the interpreter has what it refers to
        rules = f'cc_binary(name = "main", srcs = ["main.cc"], deps = {libraries!r}, linkopts = {options!r})\n'
    else:
        rules = ""
    for number, program in enumerate(programs):
        rules += (
            f'genrule(name = "run{number}", outs = ["{number}.txt"], tools = ["{program}"], '
            f'cmd = "$(location {program}) --version > $@ 2>&1 || test -s $@")\n'
        )
    (source / "BUILD").write_text(rules)
    generate(tmp_path, f"--system-libraries={library.name}")
    run(tmp_path / "out", "ninja", "-j2")
    if libraries and "python" not in library.brings:
        run(tmp_path / "out", "bazel-out/k8-fastbuild/bin/main")


def test_generated_code_and_its_library(tmp_path: Path) -> None:
    """protoc, a well-known proto and the runtime, all of the system."""
    installed(next(each for each in LIBRARIES if each.name == "protobuf"))
    files = {
        "WORKSPACE": "",
        "BUILD": """
proto_library(name = "p", srcs = ["p.proto"], deps = ["@com_google_protobuf//:any_proto"])
cc_proto_library(name = "p_cc", deps = [":p"])
cc_binary(name = "main", srcs = ["main.cc"], deps = [":p_cc"])
""",
        "p.proto": """
syntax = "proto3";
import "google/protobuf/any.proto";
message Parcel { google.protobuf.Any content = 1; int32 weight = 2; }
""",
        "main.cc": """
#include <iostream>
#include "p.pb.h"
int main() { Parcel parcel; parcel.set_weight(3); std::cout << parcel.ShortDebugString() << std::endl; }
""",
    }
    (tmp_path / "src").mkdir()
    for name, text in files.items():
        (tmp_path / "src" / name).write_text(text)
    generate(tmp_path)
    run(tmp_path / "out", "ninja", "-j2")
    assert run(tmp_path / "out", "bazel-out/k8-fastbuild/bin/main") == "weight: 3\n"
