"""What `--config=` of TensorFlow's own .bazelrc changes in the actions of a kernel, and what it refuses: 2.14.1.

The expected words are those that tf_copts() and the BUILD files of the tree choose by the config's definitions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cuda_toolkit
import pytest
from test_tensorflow import OPTIONS, run, stand_ins, tree

from bazel2ninja.crosscheck.ours import our_records
from bazel2ninja.crosscheck.records import Record
from bazel2ninja.pipeline.build import analyse
from bazel2ninja.pipeline.session import Request, Session

pytestmark = pytest.mark.real_project

__all__ = ["stand_ins", "tree"]  # fixtures

KERNEL = "//tensorflow/core/kernels:matmul_op"
SOURCES = {f"tensorflow/core/kernels/matmul_op_{kind}.cc" for kind in ("complex", "fused", "int", "real")}

Records = dict[tuple[str, ...], Record]
Analyse = Callable[..., Records]


@dataclass(frozen=True)
class Change:
    """More and less words of the kernel's compiles: (field, word)."""

    more: frozenset[tuple[str, str]]
    less: frozenset[tuple[str, str]]


@pytest.fixture(scope="module")
def analysed(tree: Path, stand_ins: list[str], tmp_path_factory: pytest.TempPathFactory) -> Analyse:
    root = tmp_path_factory.mktemp("root")

    def records(*words: str, environment: Mapping[str, str] | None = None, profile: bool = False) -> Records:
        given = {"CC": "gcc", "PATH": os.environ["PATH"], **(environment or {})}
        session = Session(
            Request(
                source=str(tree),
                words=[*(() if profile else ("--noprofile",)), *OPTIONS, *stand_ins, *words, KERNEL],
                output_root=str(root),
                environment=given,
            ),
            print_to_stderr=False,
        )
        return {(record.kind, *record.key): record for record in our_records(analyse(session).graph.actions.values())}

    return records


@pytest.fixture(scope="module")
def plain(analysed: Analyse) -> Records:
    found = analysed()
    assert {record.subject for record in compiles(found)} <= SOURCES
    assert len(compiles(found)) >= 3
    return found


def compiles(records: Records) -> list[Record]:
    return [record for record in records.values() if record.kind == "compile" and record.label.startswith(KERNEL)]


def change(before: Records, after: Records) -> Change:
    """What is different in every compile of the kernel; the files that are made must be the same."""
    assert before.keys() == after.keys()
    changes = set()
    for record in compiles(before):
        other = after["compile", *record.key]
        old, new = ({(name, word) for name, words in r.fields.items() for word in words} for r in (record, other))
        changes.add(Change(frozenset(new - old), frozenset(old - new)))
    (found,) = changes
    return found


def copts(*words: str) -> frozenset[tuple[str, str]]:
    return frozenset(("copts", word) for word in words)


ONEDNN = frozenset(
    ("defines", f"TENSORFLOW_USE_{name}_CONTRACTION_KERNEL") for name in ("MKLDNN", "CUSTOM")
)  # tensorflow_mkldnn_contraction_kernel=0

CHANGES = {
    "v2": (["--config=v2"], copts(), copts()),  # what .bazelrc says for everybody
    "xla": (["--config=xla"], copts(), copts()),  # on by default
    "noaws": (["--config=noaws"], copts(), copts()),  # no BUILD file of 2.14.1 asks for it
    "no xla": (["--define=with_xla_support=false"], copts(), copts("-DTENSORFLOW_USE_XLA=1")),
    "inline": (["--define=override_eigen_strong_inline=true"], copts("/DEIGEN_STRONG_INLINE=inline"), copts()),
    "mkl": (["--config=mkl"], copts("-DENABLE_MKL", "-DENABLE_ONEDNN_OPENMP"), ONEDNN),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_config_changes(analysed: Analyse, plain: Records, name: str) -> None:
    words, more, less = CHANGES[name]
    assert change(plain, analysed(*words)) == Change(more, less)


def test_onednn_for_arm(analysed: Analyse) -> None:
    """oneDNN with Arm's library in place of the one for x86 processors."""
    before = analysed("--cpu=aarch64")
    found = change(before, analysed("--cpu=aarch64", "--config=mkl_aarch64_threadpool"))
    assert ("copts", "-DDNNL_AARCH64_USE_ACL=1") in found.more
    assert ("quote_includes", "external/mkl_dnn_acl_compatible") in found.more
    assert not any("onednn" in word for _, word in found.more)
    assert not any(
        "-DDNNL_AARCH64_USE_ACL=1" in r.fields["copts"] or "-msse3" in r.fields["copts"] for r in compiles(before)
    )


def test_opt(analysed: Analyse) -> None:
    """CC_OPT_FLAGS means what ./configure writes: flags of --config=opt, of nothing else."""
    given = {"CC_OPT_FLAGS": "-O3 -fno-plt"}
    before = analysed(profile=True)
    after = analysed("--config=opt", environment=given, profile=True)
    assert change(before, after) == Change(copts("-O3", "-fno-plt"), copts())
    assert change(before, analysed(environment=given, profile=True)) == Change(copts(), copts())


def test_cuda(analysed: Analyse, plain: Records, tmp_path: Path) -> None:
    """The kernel's own sources know of the GPU; what is compiled for it is added, nothing is taken away."""
    cuda_toolkit.write(tmp_path / "toolkit", "11.2", "8.1.0", tensorrt="8.4.1", nccl="2.8.3")
    settings = {"CUDA_PATHS": tmp_path / "toolkit", "CUDA_COMPUTE_CAPABILITIES": "8.6"}
    after = analysed("--config=cuda", *(f"--repo_env=TF_{name}={value}" for name, value in settings.items()))
    assert plain.keys() <= after.keys()
    for record in compiles(plain):
        found = after["compile", *record.key]
        assert "-DGOOGLE_CUDA=1" in found.fields["copts"] and "-DGOOGLE_CUDA=1" not in record.fields["copts"]
        assert set(record.fields["defines"]) <= set(found.fields["defines"])


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--config=v1"], 2, "error: config value 'v1' is not defined in any rc file"),  # 2.14.1 has none
        (["--config=cuda", "--config=rocm"], 2, "error: '--config=cuda' and '--config=rocm' exclude each other: "),
        (["--config=mkl", "--config=mkl_aarch64_threadpool"], 2, "exclude each other: one is oneDNN for x86"),
        (
            ["--repo_env=TF_SYSTEM_LIBS=zlib,no_such"],
            1,
            "System Library Configuration Error: Invalid system lib set: no_such",
        ),
    ],
)
def test_what_is_refused(tree: Path, tmp_path: Path, words: list[str], status: int, message: str) -> None:
    done = run(tmp_path, "generate", "-o", "build.ninja", tree, *words)
    assert done.returncode == status
    assert message in done.stderr
    assert "\x1b" not in done.stderr and done.stderr.count("error: ") == 1
    assert not (tmp_path / "build.ninja").exists()
