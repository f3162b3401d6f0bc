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


def build_and_run(place: Path, names: tuple[str, ...], files: dict[str, str]) -> str:
    """What //p:main prints, of a project that takes libraries of the system by these names."""
    for name in names:
        installed(next(each for each in LIBRARIES if each.name == name))
    (place / "src/p").mkdir(parents=True)
    for name, text in files.items():
        (place / "src" / name).write_text(text)
    generate(place)
    run(place / "out", "ninja", "-j2")
    return run(place / "out", "bazel-out/k8-fastbuild/bin/p/main")


def test_services_in_proto_files(tmp_path: Path) -> None:
    """Both forms of the library, with mocks; the stubs talk to each other within the process."""
    files = {
        "MODULE.bazel": """
bazel_dep(name = "grpc", version = "1.51", repo_name = "com_github_grpc_grpc")
bazel_dep(name = "protobuf", version = "3", repo_name = "com_google_protobuf")
bazel_dep(name = "rules_cc", version = "0.1")
""",
        "p/BUILD": """
load("@com_github_grpc_grpc//bazel:cc_grpc_library.bzl", "cc_grpc_library")
load("@com_github_grpc_grpc//bazel:python_rules.bzl", "py_grpc_library", "py_proto_library")
load("@com_google_protobuf//bazel:cc_proto_library.bzl", "cc_proto_library")
load("@com_google_protobuf//bazel:proto_library.bzl", "proto_library")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
proto_library(name = "word", srcs = ["word.proto"])
cc_proto_library(name = "word_cc", deps = [":word"])
cc_grpc_library(
    name = "echo",
    srcs = [":word"],
    deps = [":word_cc"],
    grpc_only = True,
    generate_mocks = True,
    plugin_flags = ["use_system_headers=true"],
)
py_proto_library(name = "word_py", deps = [":word"])
py_grpc_library(name = "echo_py", srcs = [":word"], deps = [":word_py"])
cc_grpc_library(name = "base", srcs = ["base.proto"], deps = [], proto_only = True)
cc_grpc_library(name = "count", srcs = ["count.proto"], deps = [":base"], well_known_protos = True)
cc_binary(name = "main", srcs = ["main.cc"], deps = [":count", ":echo", "@com_github_grpc_grpc//:grpc++"])
""",
        "p/word.proto": """
syntax = "proto3";
package w;
message Word { string text = 1; }
service Echo { rpc Say(Word) returns (Word); }
""",
        "p/base.proto": 'syntax = "proto3"; package w; message Base { int32 n = 1; }',
        "p/count.proto": """
syntax = "proto3";
package w;
import "google/protobuf/empty.proto";
import "p/base.proto";
service Count { rpc Next(google.protobuf.Empty) returns (Base); }
""",
        "p/main.cc": """
#include <grpcpp/grpcpp.h>
#include <iostream>
#include "p/count.grpc.pb.h"
#include "p/word.grpc.pb.h"
struct Server : w::Echo::Service {
  grpc::Status Say(grpc::ServerContext*, const w::Word* said, w::Word* heard) override {
    heard->set_text(said->text() + "!");
    return grpc::Status::OK;
  }
};
int main() {
  Server echo;
  grpc::ServerBuilder builder;
  auto server = builder.RegisterService(&echo).BuildAndStart();
  auto stub = w::Echo::NewStub(server->InProcessChannel({}));
  grpc::ClientContext context;
  w::Word said, heard;
  said.set_text("hello");
  std::cout << stub->Say(&context, said, &heard).ok() << heard.text() << w::Count::service_full_name() << std::endl;
}
""",
    }
    assert build_and_run(tmp_path, ("grpc", "protobuf"), files) == "1hello!w.Count\n"
    made = {path.name for path in (tmp_path / "out/bazel-out/k8-fastbuild/bin/p").iterdir()}
    assert {"word_mock.grpc.pb.h", "word_pb2.py", "word_pb2_grpc.py"} <= made


def test_schemas(tmp_path: Path) -> None:
    """One schema includes another; both as headers, and as binary schemas."""
    files = {
        "MODULE.bazel": """
bazel_dep(name = "flatbuffers", version = "2", repo_name = "com_github_google_flatbuffers")
bazel_dep(name = "rules_cc", version = "0.1")
""",
        "p/BUILD": """
load("@com_github_google_flatbuffers//:build_defs.bzl", "flatbuffer_cc_library")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
flatbuffer_cc_library(name = "base", srcs = ["base.fbs"])
flatbuffer_cc_library(
    name = "word",
    srcs = ["word.fbs"],
    deps = [":base"],
    includes = [":base_includes"],
    gen_reflections = True,
)
cc_binary(name = "main", srcs = ["main.cc"], deps = [":word"], data = [":word_reflection_out"])
""",
        "p/base.fbs": "namespace w; struct Base { n:int; }",
        "p/word.fbs": 'include "p/base.fbs"; namespace w; table Word { base:Base; text:string; } root_type Word;',
        "p/main.cc": """
#include <iostream>
#include "p/base_generated.h"
#include "p/word_generated.h"
int main() {
  flatbuffers::FlatBufferBuilder builder;
  w::Base base(7);
  builder.Finish(w::CreateWordDirect(builder, &base, "x"));
  std::cout << w::GetWord(builder.GetBufferPointer())->base()->n() << std::endl;
}
""",
    }
    assert build_and_run(tmp_path, ("flatbuffers",), files) == "7\n"
    assert (tmp_path / "out/bazel-out/k8-fastbuild/bin/p/word.bfbs").is_file()
