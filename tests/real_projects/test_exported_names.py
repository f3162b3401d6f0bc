"""The comparison of exported names, on two small libraries whose differences are known."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import exported_names
import pytest

LIBRARY = """
namespace absl {{ namespace {abseil} {{ struct string_view {{}}; struct Status {{}}; }} using namespace {abseil}; }}
namespace alpha {{
struct Base {{ Base(); virtual ~Base(); virtual void f(absl::string_view); }};
Base::Base() {{}}
Base::~Base() {{}}
void Base::f(absl::string_view) {{}}
absl::Status both(int) {{ return {{}}; }}
{more}
template <typename T> T twice(T value) {{ return value + value; }}
template int twice<int>(int);
}}
namespace beta {{ alpha::Base* make() {{ return new alpha::Base; }} }}
extern "C" int ALPHA_Version() {{ return 1; }}
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    place = tmp_path_factory.mktemp("names")
    for name, abseil, more in (("ours", "debian9", "void gone();"), ("theirs", "lts_20230125", "void gone() {}")):
        (place / f"{name}.cc").write_text(LIBRARY.format(abseil=abseil, more=more))
        words = ["g++", "-shared", "-fPIC", f"{name}.cc", "-o", f"{name}.so"]
        subprocess.run(words, cwd=place, check=True)
    return place / "ours.so", place / "theirs.so"


def test_differences_are_those_that_libraries_do_not_explain(libraries: tuple[Path, Path]) -> None:
    ours, theirs = ([each for each in exported_names.exported(path).values() if not each.weak] for path in libraries)
    found = exported_names.compare(ours, theirs)
    assert [name.demangled for name in found.missing] == ["alpha::gone()"]
    assert not found.more
    assert found.respelled == 1  # Base::f; what a function returns is not in its name
    reverse = exported_names.compare(theirs, ours)
    assert [name.demangled for name in reverse.more] == ["alpha::gone()"]


def test_names_by_namespace(libraries: tuple[Path, Path]) -> None:
    names = exported_names.exported(libraries[0])
    alpha = {each.demangled for each in names.values() if each.within(("alpha",))}
    assert {"alpha::Base::Base()", "vtable for alpha::Base", "int alpha::twice<int>(int)"} <= alpha
    assert {each.demangled for each in names.values() if each.within(("beta",))} == {"beta::make()"}
    assert not names["ALPHA_Version"].within(("alpha", "beta"))
    assert {each.demangled for each in names.values() if each.weak} >= {"int alpha::twice<int>(int)"}


def test_causes(libraries: tuple[Path, Path]) -> None:
    names = exported_names.exported(libraries[1]).values()
    causes = {"classes": re.compile(r"\bBase\b"), "rest of alpha": re.compile("alpha")}
    found = exported_names.by_cause((each for each in names if not each.weak), causes)
    assert set(found) == {"classes", "rest of alpha", ""}
    assert [each.demangled for each in found[""]] == ["ALPHA_Version", "beta::make()"]
