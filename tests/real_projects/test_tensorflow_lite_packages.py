"""TensorFlow Lite of Debian sid as packages that debianize wrote, with nothing done by hand.

They are built as a build daemon does it, by somebody who is not root in a chroot without a network, and used in another
chroot that has nothing but what they depend on.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import debian_chroot
import own_packages
import pytest
from archive import Project, directory, fetch
from own_packages import run

pytestmark = [pytest.mark.real_project, pytest.mark.minutes(20)]

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
HERE = Path(__file__).parent / "tensorflow_lite"
LIBRARIES = [
    "flatbuffers-compiler", "libcpuinfo-dev", "libeigen3-dev", "libfarmhash-dev", "libfft2d-dev",
    "libflatbuffers-dev", "libfp16-dev", "libgemmlowp-dev", "libneon-2-sse-dev", "libpthreadpool-dev", "libruy-dev",
]  # fmt: skip
PLACE = "var/tmp/packages"
TREE = "tensorflow-2.14.1+dfsg"
SOMEBODY = ("setpriv", "--reuid=1234", "--regid=1234", "--clear-groups")
NAMES = ("DEBFULLNAME=A Person", "DEBEMAIL=person@example.org", "SOURCE_DATE_EPOCH=1700000000")
# What the packages depend on, as apt would install it.
DEPENDS = [
    "libcpuinfo0", "libfarmhash0", "libflatbuffers-dev", "libgemmlowp-dev", "libpthreadpool-dev", "libruy-dev",
]  # fmt: skip
# The number of a bug report is not known; there are two libraries in the package, which is called as Debian's is.
EXPLAINED = ("initial-upload-closes-no-bugs", "package-name-doesnt-match-sonames")
# For each model what an inference gives, from Debian's own library.
RESULTS = {
    "float": "06e6e23d8e68f13d28fe643d209ad13d28cb003ed6a7863df460cb3d42700e3e6bdc0d3e83bf363d",
    "quantized": "9c9c8d9c9c919ca4a48a",
}


@pytest.fixture
def builder() -> Path:
    reason = debian_chroot.missing()
    if reason:
        pytest.skip(f"NOT TESTED: TensorFlow Lite's packages: {reason}")
    chroots = directory() / "chroots"
    chroots.mkdir(parents=True, exist_ok=True)
    root = debian_chroot.make("sid", [*own_packages.TOOLS, *LIBRARIES], chroots / "sid-packages")
    shutil.rmtree(root / PLACE, ignore_errors=True)
    own_packages.install(root, PLACE)
    return root


def test_packages_without_a_change_by_hand(builder: Path) -> None:
    at = f"/{PLACE}/lite"
    tree = builder / PLACE / "lite" / TREE
    shutil.copytree(fetch(PROJECT).resolve(), tree, symlinks=True, ignore=shutil.ignore_patterns("debian", ".pc"))
    words = ["--package=libtensorflow-lite-dev", "--upstream-version=2.14.1+dfsg"]
    run(builder, "env", *NAMES, "bazel2ninja", "debianize", *words, TREE, at=at)
    shutil.copytree(tree / "debian", builder / PLACE / "debian")
    run(builder, "chown", "-R", "1234:1234", at, at="/")
    build = "umask 002; exec dpkg-buildpackage -us -uc -b"
    given = {"DEB_BUILD_OPTIONS": "parallel=2", "TZ": "Asia/Tokyo", "LC_ALL": "C", "HOME": "/nonexistent"}
    words = [f"{name}={value}" for name, value in given.items()]
    run(builder, *SOMEBODY, "env", *words, "sh", "-c", build, at=f"{at}/{TREE}")
    faults = own_packages.complaints(builder, f"{at}/tensorflow_*.changes")
    assert [line for line in faults if not any(tag in line for tag in EXPLAINED)] == []
    make_models(builder)
    they_are_used(builder, tree)


def make_models(builder: Path) -> None:
    for name in ("model.py", "infer.cc", "infer_c.c"):
        shutil.copy(HERE / name, builder / PLACE)
    schema = f"lite/{TREE}/tensorflow/lite/schema/schema.fbs"
    for model, option in (("float", []), ("quantized", ["--quantized"])):
        text = run(builder, "python3", "model.py", *option, at=f"/{PLACE}")
        (builder / PLACE / f"{model}.json").write_text(text)
        run(builder, "flatc", "--binary", schema, f"{model}.json", at=f"/{PLACE}")


def they_are_used(builder: Path, tree: Path) -> None:
    """A program in C++, one in C, and the autopkgtest, where only the packages and their dependencies are."""
    user = debian_chroot.make("sid", ["g++", "pkgconf", *DEPENDS], directory() / "chroots/sid-packages-used")
    shutil.rmtree(user / PLACE, ignore_errors=True)
    (user / PLACE).mkdir(parents=True)
    for pattern in ("lite/libtensorflow-lite*.deb", "infer*.c*", "*.tflite"):
        for path in (builder / PLACE).glob(pattern):
            shutil.copy(path, user / PLACE)
    run(user, "sh", "-c", "dpkg -i libtensorflow-lite[2-]*.deb", at=f"/{PLACE}")
    for compiler, source, module in (
        ("g++", "infer.cc", "tensorflowlite"),
        ("gcc", "infer_c.c", "tensorflowlite_c"),
    ):
        line = f"{compiler} -O2 -o infer {source} $(pkg-config --cflags --libs {module})"
        run(user, "sh", "-c", line, at=f"/{PLACE}")
        for model, result in RESULTS.items():
            assert run(user, "./infer", f"{model}.tflite", "1", at=f"/{PLACE}").split()[0] == result
    shutil.copytree(builder / PLACE / "debian/tests", user / PLACE / "tests")
    done = debian_chroot.run(
        user, {tree: "/source"}, [f"/{PLACE}/tests/use-libtensorflow-lite-dev"], "/source", AUTOPKGTEST_TMP=f"/{PLACE}"
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "ADD" in done.stdout and "Version = " in done.stdout
