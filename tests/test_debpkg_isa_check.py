"""Instructions above the baseline: planted ones are found, guarded ones are not reported."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from bazel2ninja.cli import main
from bazel2ninja.debpkg import isa_check
from bazel2ninja.debpkg.isa_instructions import requirement
from bazel2ninja.debpkg.isa_objects import raised_objects

x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="compiles for x86-64")

CODE = """
#include <immintrin.h>
__attribute__((target_clones("default", "avx2")))
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] * p[i]; return s; }
__attribute__((target("avx2"))) void leak(float *p)
{ _mm256_storeu_ps(p, _mm256_add_ps(_mm256_loadu_ps(p), _mm256_set1_ps(1))); }
int plain(const int *p, int n) { return sum(p, n) + 1; }
"""


@pytest.mark.parametrize(
    ("line", "level", "name"),
    [
        ("addps %xmm1,%xmm0", 0, ""),
        ("tzcnt %eax,%eax", 0, ""),
        ("verw %ax", 0, ""),
        ("pshufb %xmm1,%xmm0", 1, "SSSE3"),
        ("pmovzxbw %xmm1,%xmm0", 1, "SSE4.1"),
        ("popcnt %rax,%rax", 1, "POPCNT"),
        ("crc32q %rax,%rbx", 1, "SSE4.2"),
        ("vaddps %ymm0,%ymm1,%ymm2", 2, "AVX"),
        ("vfmadd231ps %ymm0,%ymm1,%ymm2", 2, "FMA"),
        ("vcvtph2ps %xmm0,%ymm1", 2, "F16C"),
        ("shlx %rax,%rbx,%rcx", 2, "BMI2"),
        ("andn %rax,%rbx,%rcx", 2, "BMI1"),
        ("vaddps %zmm0,%zmm1,%zmm2", 3, "AVX512"),
        ("vaddps %xmm0,%xmm1,%xmm17", 3, "AVX512"),
        ("kmovw %k1,%eax", 3, "AVX512"),
        ("aesenc %xmm0,%xmm1", 4, "AES"),
        ("vpdpbusd %ymm0,%ymm1,%ymm2", 4, "AVX512-VNNI"),
        ("sha256rnds2 %xmm0,%xmm1,%xmm2", 4, "SHA"),
    ],
)
def test_levels_of_instructions(line: str, level: int, name: str) -> None:
    mnemonic, _, operands = line.partition(" ")
    assert requirement(mnemonic, operands) == (level, name)


def compile_(directory: Path, *words: str) -> None:
    subprocess.run(["g++", "-O3", "-fPIC", *words], cwd=directory, check=True)


@x86
def test_planted_instructions_are_found_and_ifuncs_understood(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.c").write_text(CODE)
    subprocess.run(["gcc", "-O3", "-fPIC", "-shared", "a.c", "-o", "liba.so"], cwd=tmp_path, check=True)
    library = str(tmp_path / "liba.so")
    report = isa_check.check(library, 0)
    assert [(finding.function, finding.kind, finding.level) for finding in report.findings] == [
        ("leak", "unguarded", 2)
    ]
    assert report.by_ifunc == 1
    assert main(["isa-check", library]) == 3
    assert "leak: " in capsys.readouterr().out
    assert main(["isa-check", "--baseline", "x86-64-v3", library]) == 0
    assert main(["isa-check", "--allow", "le.k", library]) == 0


KERNEL = """
inline __attribute__((noinline)) float shared(const float *p)
{ float s = 0; for (int i = 0; i < 8; i++) s += p[i] * 3; return s; }
"""


@x86
def test_objects_with_options_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "shared.h").write_text(KERNEL)
    (tmp_path / "fast.cc").write_text(
        '#include "shared.h"\nfloat fast(const float *p) { float s = shared(p); '
        "for (int i = 0; i < 64; i++) s += p[i] * p[i]; return s; }\n"
    )
    (tmp_path / "slow.cc").write_text('#include "shared.h"\nfloat slow(const float *p) { return shared(p); }\n')
    (tmp_path / "build.ninja").write_text(
        "rule cxx\n  command = g++ -O3 -ffast-math -fPIC $options -c $in -o $out\n"
        "rule link\n  command = g++ -shared $in -o $out\n"
        "build fast.o: cxx fast.cc\n  options = -mavx2\nbuild slow.o: cxx slow.cc\n"
        "build libx.so: link fast.o slow.o\n"
    )
    subprocess.run(["ninja", "-C", tmp_path], check=True, capture_output=True)
    raised = raised_objects(str(tmp_path), str(tmp_path / "libx.so"))
    assert [(Path(each.path).name, each.options) for each in raised] == [("fast.o", ("-mavx2",))]
    report = isa_check.check(str(tmp_path / "libx.so"), 0, raised)
    (finding,) = report.findings
    assert (finding.function, finding.kind) == ("_Z6sharedPKf", "weak")
    assert "-mavx2" in finding.origin
    assert report.by_object == 1


PLANTED = """
__attribute__((target("avx2"), noipa)) static float fast(const float *p, int n)
{ float s = 0; for (int i = 0; i < n; i++) s += p[i] * p[i]; return s; }
static float plain(const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[i] * p[i]; return s; }
static float (*choose(void))(const float *, int) { return __builtin_cpu_supports("avx2") ? fast : plain; }
float sum(const float *, int) __attribute__((ifunc("choose")));
"""


@x86
@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", set()),
        ("float other(const float *p) { return fast(p, 8); }", {"fast"}),  # past the resolver
        ("float (*const table[])(const float *, int) = {fast, plain};", {"fast"}),  # to be called by anybody
    ],
)
def test_a_second_way_to_what_a_resolver_chooses(tmp_path: Path, more: str, found: set[str]) -> None:
    (tmp_path / "a.c").write_text(PLANTED + more)
    subprocess.run(["gcc", "-O3", "-ffast-math", "-fPIC", "-shared", "a.c", "-o", "liba.so"], cwd=tmp_path, check=True)
    report = isa_check.check(str(tmp_path / "liba.so"), 0)
    assert {finding.function for finding in report.findings} == found
    assert report.by_ifunc == (0 if found else 1)


LOOP = "{ float s = 0; for (int i = 0; i < n; i++) s += p[i] * p[i]; return s; }\n"
HIDDEN = "#pragma GCC visibility push(hidden)\ninline __attribute__((noipa)) float weak(const float *p, int n) " + LOOP


@x86
def test_functions_of_the_same_name_and_hidden_weak_ones(tmp_path: Path) -> None:
    static = "static __attribute__((noipa%s)) float part(const float *p, int n) " + LOOP
    (tmp_path / "weak.h").write_text(HIDDEN + "#pragma GCC visibility pop\n")
    (tmp_path / "kernel.cc").write_text(
        static % "" + '#include "weak.h"\nfloat kernel(const float *p, int n) { return part(p, n) + weak(p, n); }\n'
    )
    (tmp_path / "plain.cc").write_text(
        static % ', target("avx2")' + "extern float kernel(const float *, int);\n"
        "float plain(const float *p, int n) { return n ? part(p, n) : kernel(p, n); }\n"
    )
    (tmp_path / "again.cc").write_text('#include "weak.h"\nfloat again(const float *p) { return weak(p, 8); }\n')
    (tmp_path / "build.ninja").write_text(
        "rule cxx\n  command = g++ -O3 -ffast-math -fPIC $options -c $in -o $out\n"
        "rule link\n  command = g++ -shared $in -o $out\n"
        "build kernel.o: cxx kernel.cc\n  options = -mavx2\nbuild plain.o: cxx plain.cc\nbuild again.o: cxx again.cc\n"
        "build strange.o: cxx plain.cc\n  options = -mavx2\n"
        "build libx.so: link kernel.o plain.o\nbuild liby.so: link kernel.o again.o\n"
    )
    subprocess.run(["ninja", "-C", tmp_path], check=True, capture_output=True)

    def findings(name: str) -> list[tuple[str, str]]:
        library = str(tmp_path / name)
        report = isa_check.check(library, 0, raised_objects(str(tmp_path), library))
        return [(finding.function, finding.kind) for finding in report.findings]

    # the static function of kernel.o may, that of plain.o may not, strange.o is no part of the library; nobody else
    # than kernel.o can call the weak one
    assert findings("libx.so") == [("_ZL4partPKfi", "unguarded")]
    assert findings("liby.so") == [("_Z4weakPKfi", "weak")]  # again.o calls it


@x86
def test_a_marked_library_is_measured_by_its_mark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cc").write_text("float f(const float *p, int n) " + LOOP)
    for name, words in {"v3": ["-march=x86-64-v3"], "v4": ["-mavx512f", "-mprefer-vector-width=512"]}.items():
        options = ["-shared", "-ffast-math", "-Wl,-z,x86-64-v3", *words]
        compile_(tmp_path, *options, "a.cc", "-o", f"lib{name}.so")
    assert main(["isa-check", str(tmp_path / "libv3.so")]) == 0
    assert "0 unguarded above x86-64-v3" in capsys.readouterr().out
    assert main(["isa-check", str(tmp_path / "libv4.so")]) == 3
    assert main(["isa-check", "--baseline=x86-64", str(tmp_path / "libv3.so")]) == 3
    assert "is stripped" not in capsys.readouterr().err
    subprocess.run(["strip", str(tmp_path / "libv3.so")], check=True)
    assert main(["isa-check", str(tmp_path / "libv3.so")]) == 0
    assert "libv3.so: note: is stripped: local functions" in capsys.readouterr().err


def test_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("no library")
    assert main(["isa-check", str(tmp_path / "text")]) == 1
    assert main(["isa-check", str(tmp_path / "absent")]) == 1
    assert "absent: error: does not exist" in capsys.readouterr().err


@x86
def test_an_object_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cc").write_text("int a;\n")
    compile_(tmp_path, "-c", "a.cc", "-o", "a.o")
    assert main(["isa-check", str(tmp_path / "a.o")]) == 1
    assert "is not linked yet" in capsys.readouterr().err
