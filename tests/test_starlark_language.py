"""The chunked test files in tests/starlark, and what needs the host: loading, threads, errors, the code cache."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pytest

from bazel2ninja.diagnostics import InternalError, Location, WorkspaceError
from bazel2ninja.starlark import (
    CodeCache,
    Dialect,
    Dict,
    EvalError,
    List,
    Module,
    Program,
    Semantics,
    Struct,
    Thread,
    builtin,
    call_stack,
    caller_location,
    compile_source,
    execute,
    freeze,
    function_location,
    function_module,
    function_name,
    function_parameters,
    to_repr,
    to_starlark,
)
from bazel2ninja.starlark.chunked import run_chunk, split_chunks
from bazel2ninja.starlark.command import add_arguments, run

STAR_FILES = sorted(Path(__file__).parent.glob("starlark/*.star"))


def compiled(text: str, dialect: Dialect = Dialect.PLAIN, semantics: Semantics | None = None, names=()) -> Program:
    return compile_source(
        text.encode(), "t.star", dialect=dialect, semantics=semantics or Semantics(), predeclared=names
    )


def module_of(text: str, dialect: Dialect = Dialect.PLAIN, semantics: Semantics | None = None, **names) -> Module:
    program = compiled(text, dialect, semantics, names)
    return execute(program, Thread(semantics), names, lambda name, where: {"a": 1, "b": 2})


def error_of(text: str, semantics: Semantics | None = None, **names) -> WorkspaceError:
    with pytest.raises(WorkspaceError) as caught:
        module_of(text, Dialect.PLAIN, semantics, **names)
    return caught.value


@pytest.mark.parametrize("path", STAR_FILES, ids=lambda path: path.stem)
def test_chunked_file(path: Path) -> None:
    chunks = split_chunks(path.read_text())
    failures = [f for c in chunks for f in run_chunk(c, path.name, Dialect.PLAIN, Semantics(), {})]
    assert failures == []


@pytest.mark.parametrize(
    "text",
    [
        "1 + 'a' ### no such error\n",
        "x = 1 ### some error\n",
        "assert_eq(1, 2)\n",
        "x = 1\n\n1 // 0\n",
        "\n1 // 0\n#### x\n",
    ],
)
def test_a_wrong_chunk_is_noticed(text: str) -> None:
    (chunk,) = split_chunks(text)
    assert run_chunk(chunk, "t.star", Dialect.PLAIN, Semantics(), {})


def test_an_error_on_another_line_than_expected_is_a_failure() -> None:
    (chunk,) = split_chunks("x = 1 ### integer division by zero\n1 // 0\n")
    assert run_chunk(chunk, "t.star", Dialect.PLAIN, Semantics(), {})


def test_the_command_counts_chunks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.star"
    file.write_text("assert_eq(1, 1)\n---\nassert_eq(1, 2)\n---\n1 + '' ### unsupported\n")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args(["--test", str(file)])) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 1 failed"


def test_the_command_shows_the_call_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = tmp_path / "lib.bzl"
    library.write_text("def f(x):\n    return x + 1\n")
    file = tmp_path / "a.star"
    file.write_text('load("lib.bzl", "f")\nprint(f(1))\nf("")\n')
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args([str(file)])) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("2\nTraceback (most recent call last):")
    assert f"{file}:3:1, in <toplevel>" in printed
    assert f"{library}:2:12: error: unsupported binary operation: string + int" in printed


def test_a_load_cycle_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.bzl").write_text('load("b.bzl", "b")\na = 1\n')
    (tmp_path / "b.bzl").write_text('load("a.bzl", "a")\nb = 1\n')
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args([str(tmp_path / "a.bzl")])) == 1
    assert "cycle in load graph" in capsys.readouterr().err


def test_loads_are_listed_with_places_and_bind_locally() -> None:
    program = compiled('load("//x:y.bzl", "a", c = "b")\nd = c\n', Dialect.BZL)
    assert program.loads == (("//x:y.bzl", (("a", "a"), ("c", "b")), Location("t.star", 1, 6)),)
    module = module_of('load("//x:y.bzl", "a", c = "b")\nd = c\n_p = 1\n', Dialect.BZL)
    assert module.globals == {"d": 2}
    assert module.all_globals() == {"d": 2, "_p": 1}


def test_a_positional_symbol_may_follow_a_named_one() -> None:
    assert module_of('load("m", x = "a", "b")\ny = [x, b]\n').globals == {"y": [1, 2]}


def test_globals_freeze_when_the_file_is_done() -> None:
    module = module_of("x = [1, {'k': []}]\ndef f(v = []):\n    v.append(1)\n")
    with pytest.raises(EvalError, match="trying to mutate a frozen list value"):
        Thread().call(module.globals["f"])
    with pytest.raises(EvalError, match="frozen dict"):
        module.globals["x"][1]["k"] = 2


def test_a_global_may_hide_a_builtin() -> None:
    assert module_of("def f(): return len\nlen = 3\nx = f()\n").globals["x"] == 3


@pytest.mark.parametrize(
    ("dialect", "text", "message"),
    [
        (Dialect.BUILD, "def f(): pass", "functions may not be defined in BUILD files"),
        (Dialect.BUILD, "x = lambda: 1", "functions may not be defined in BUILD files"),
        (Dialect.BUILD, "if 1: pass", "if statements are not allowed in BUILD files"),
        (Dialect.BUILD, "for x in []: pass", "for statements are not allowed in BUILD files"),
        (Dialect.BUILD, "dict(**{})", r"\*\*kwargs arguments are not allowed in BUILD files"),
        (Dialect.BZL, "if 1: pass", "if statements are not allowed at the top level"),
        (Dialect.BZL, "for x in []: pass", "for loops are not allowed at the top level"),
        (Dialect.BZL, "x = 1\nx = 2", "cannot reassign global 'x'"),
        (Dialect.BZL, "x = 1\nload('m', 'a')", "load statements must be called before any other statement"),
    ],
)
def test_dialects(dialect: Dialect, text: str, message: str) -> None:
    with pytest.raises(WorkspaceError, match=message):
        compiled(text, dialect)


def test_build_files_may_assign_a_global_again() -> None:
    assert module_of("x = 1\nx += 1\n", Dialect.BUILD).globals["x"] == 2


def test_all_errors_of_a_file_are_reported() -> None:
    problem = error_of("x = nope\ny = [print_]\nprint(x)\n")
    assert [(d.location.line, d.message) for d in problem.diagnostics] == [
        (1, "name 'nope' is not defined"),
        (2, "name 'print_' is not defined"),
    ]
    assert problem.diagnostics[1].help == "did you mean 'print'?"


def test_columns_count_characters() -> None:
    assert error_of("x = ['äöü', 1 + 'a']\n").diagnostic.location == Location("t.star", 1, 13)
    assert error_of("x = ['äöü', nope]\n").diagnostic.location == Location("t.star", 1, 13)


def test_line_ends_byte_order_mark_and_bytes_that_are_no_utf8() -> None:
    def run_bytes(source: bytes) -> dict:
        program = compile_source(source, "t", dialect=Dialect.PLAIN, semantics=Semantics(), predeclared=())
        return execute(program, Thread(), {}, lambda name, where: {}).globals

    assert run_bytes(b"x = '''a\r\nb'''\r\ny = 2\r\n") == {"x": "a\nb", "y": 2}
    assert run_bytes(b"\xef\xbb\xbfx = 1\n") == {"x": 1}
    assert run_bytes(b"x = '\xe9\xff'  # \xfe\n") == {"x": "\xe9\xff"}
    assert run_bytes(b"def f():\n\treturn 1\n\f\nx = f()\n")["x"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 10000 + ")" * 10000,
        "x = " + "[" * 10000 + "]" * 10000,
        "x = " + "-" * 100000 + "1",
        "x = " + "not " * 100000 + "1",
        "x = " + "1+" * 100000 + "1",
        "x = 'a'" + ".upper()" * 10000,
        "x = " + "1 if 1 else " * 5000 + "2",
        "x = " + "9" * 10000,
        "x = '" + "a" * 1000 + "' * (1 << 28)",
        "x = [0] * 1000000000",
    ],
    ids=range(10),
)
def test_excess_is_an_ordinary_error(text: str) -> None:
    start = time.monotonic()
    assert error_of(text).diagnostic.location is not None
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ()\nfor i in range({n}): x = (x,)\ny = {{x: 1}}\n", "maximum call depth exceeded"),
        ("x = ()\nfor i in range({n}): x = (x,)\ny = x in {{}}\n", "maximum call depth exceeded"),
        ("x = ()\nfor i in range({n}): x = (x,)\ny = struct(a = x) in {{}}\n", "maximum call depth exceeded"),
        ("x = ()\nfor i in range({n}): x = (x,)\ny = str(x)\n", "maximum call depth exceeded"),
        ("x = struct()\nfor i in range({n}): x = struct(a = x)\ny = {{x: 1}}\n", "maximum call depth exceeded"),
        ("x = json.indent('[' * {n} + ']' * {n}, indent = ' ' * 1000)", "excessive indentation"),
        ("x = int('9' * 10000000)", "integer of 10000000 digits is too long"),
        ("x = str(int('f' * 5000000, 16))", "integer of 20000000 bits is too long to be written"),
        ("x = json.encode_indent([[[1]]], indent = ' ' * (1 << 27))", "excessive indentation"),
    ],
    ids=range(9),
)
def test_values_of_excessive_depth(text: str, message: str) -> None:
    start = time.process_time()
    assert message in error_of(text.format(n=30000)).diagnostic.message
    assert time.process_time() - start < 5


def test_long_integers() -> None:
    assert module_of("x = str(int('9' * 9999))\ny = int('1' + '0' * 300000) % 7").globals == {"x": "9" * 9999, "y": 1}


def test_the_hash_of_nested_structs_takes_linear_time() -> None:
    text = "x = struct()\nfor i in range(60): x = struct(a = (x, True), b = 1)\ny = {x: 1}[x]\n"
    assert module_of(text).globals["y"] == 1


def test_a_long_sum_and_a_long_line() -> None:
    assert len(module_of("x = " + "[1] + " * 500 + "[1]\n").globals["x"]) == 501
    assert len(module_of("x = '" + "a" * 10_000_000 + "'\n").globals["x"]) == 10_000_000


@pytest.mark.parametrize("release", ["2.0.0", "4.2.3"])
def test_a_frozen_dict_answers_in_old_bazel(release: str) -> None:
    old = Semantics.for_bazel(release)
    for text in ("pop(2, 3)", "pop(True, 3)", "setdefault(1, 4)"):
        text = f"def f(d):\n    return [d.{text} for _ in d]\nx = f({{1: 3}})\n"
        assert module_of(text, semantics=old).globals["x"] == [3]
        assert "temporarily immutable" in error_of(text).diagnostic.message
    frozen = {"D": freeze(Dict({1: 3}))}
    assert module_of("x = [D.pop(2, 3), D.setdefault(1, 4)]", semantics=old, **frozen).globals["x"] == [3, 3]
    for text in ("D.pop(1, 3)", "D.pop(2)", "D.setdefault(2, 4)"):
        assert error_of(text, old, **frozen).diagnostic.message == "trying to mutate a frozen dict value"
    assert error_of("D.pop(2, 3)", **frozen).diagnostic.message == "trying to mutate a frozen dict value"


def test_old_bazel_semantics() -> None:
    old = Semantics.for_bazel("0.19.2")
    assert module_of("x = {1: 2} + {3: 4}\ny = 7 / 2\nz = [c for c in 'ab']\n", semantics=old).globals == {
        "x": {1: 2, 3: 4},
        "y": 3,
        "z": ["a", "b"],
    }
    assert module_of("x = [0755, '0755', 010]", semantics=old).globals["x"] == [493, "0755", 8]
    assert module_of(r"x = '\d'", semantics=old).globals["x"] == "\\d"
    assert "set" not in module_of("x = dir(struct(set = 1))", semantics=old).globals
    assert error_of("x = set([1])", semantics=old).diagnostic.message == "name 'set' is not defined"
    assert module_of("x = struct(a = 1).to_json()", semantics=old).globals["x"] == '{"a":1}'
    assert "to_json" in error_of("x = struct(a = 1).to_json()").diagnostic.message
    assert Semantics.for_bazel("99.0") == Semantics(specified_strings=False)


def test_host_functions_and_stacks() -> None:
    seen = []

    @builtin("probe")
    def probe(value, /, *, flag=False):
        seen.append((value, caller_location(), call_stack()))
        return flag

    module_of("def f(x):\n    return [probe(i) for i in x]\nf([7])\n", probe=probe)
    assert seen == [
        (7, Location("t.star", 2, 13), ((Location("t.star", 3, 1), "<toplevel>"), (Location("t.star", 2, 13), "f")))
    ]
    message = "probe() got unexpected keyword argument 'flog'"
    assert error_of("probe(1, flog = 2)", probe=probe).diagnostic.message == message
    assert "missing 1 required positional argument: value" in error_of("probe()", probe=probe).diagnostic.message


def test_a_bug_in_the_host_is_no_error_of_the_file() -> None:
    def broken(*args):
        return {}["x"]

    with pytest.raises(InternalError, match="KeyError"):
        module_of("broken()", broken=broken)

    with pytest.raises(InternalError, match="got into a Starlark value"):
        module_of("x = type(thing)", thing=object())


def test_host_errors_get_the_place_of_the_call() -> None:
    @builtin("check")
    def check():
        raise EvalError("nothing here")

    problem = error_of("def f():\n    check()\nf()\n", check=check)
    assert isinstance(problem, EvalError)
    assert problem.diagnostic.location == Location("t.star", 2, 5)
    assert problem.frames == ((Location("t.star", 3, 1), "<toplevel>"), (Location("t.star", 2, 5), "f"))


def test_host_values() -> None:
    class Label:
        starlark_type = "Label"

        def __init__(self, name):
            self.s_name = name

        def __radd__(self, other):
            return f"{to_repr(other)} + {self.s_name}"

        def starlark_repr(self):
            return f'Label("{self.s_name}")'

        def s_relative(self, name, /):
            return Label(name)

    module = module_of(
        "x = [label.name, label.relative('b').name, type(label), str([label]), [1] + label, dir(label)]\n",
        label=Label("a"),
    )
    assert module.globals["x"] == ["a", "b", "Label", '[Label("a")]', "[1] + a", ["name", "relative"]]
    problem = error_of("label.nme", label=Label("a")).diagnostic
    assert (problem.message, problem.help) == (
        "'Label' value has no field or method 'nme'",
        "did you mean 'name'?",
    )


def test_a_nested_thread_may_run_the_same_function() -> None:
    def elsewhere(function, depth, /):
        return Thread().call(function, (depth - 1,)) if depth else "end"

    text = "def f(depth):\n    return elsewhere(f, depth)\nx = f(3)\n"
    assert module_of(text, elsewhere=elsewhere).globals["x"] == "end"
    assert (
        "recursively"
        in error_of(
            "def f(n):\n    return f(n) if elsewhere(len, 0) else 0\nf(1)", elsewhere=elsewhere
        ).diagnostic.message
    )


def test_functions_tell_about_themselves() -> None:
    module = module_of("'''doc'''\ndef rule_impl(ctx, a = 1, *args, b, **kw):\n    return ctx\n")
    function = module.globals["rule_impl"]
    assert function_name(function) == "rule_impl"
    assert function_location(function) == Location("t.star", 2, 1)
    assert function_module(function) is module
    assert function_parameters(function) == ("ctx", "a", "b", "args", "kw")
    assert module.doc == "doc"
    assert Thread().call(function, (1,), {"b": 2}) == 1
    with pytest.raises(EvalError, match=r"rule_impl\(\) missing 1 required named argument: b"):
        Thread().call(function, (1,))


def test_conversion_of_python_data() -> None:
    value = to_starlark({"a": [1, (2, [3])], "b": None})
    assert isinstance(value, Dict)
    assert isinstance(value["a"], List)
    assert isinstance(value["a"][1][1], List)
    assert to_repr(value) == '{"a": [1, (2, [3])], "b": None}'
    with pytest.raises(InternalError):
        to_starlark(object())
    assert Struct(a=1).get("a") == 1


def test_the_code_cache(tmp_path: Path) -> None:
    def compile_with(cache: CodeCache, text: bytes) -> Program:
        return compile_source(text, "t.bzl", dialect=Dialect.BZL, semantics=Semantics(), predeclared=(), cache=cache)

    text = b"'''doc'''\nload('m', 'a')\nlen = a\ndef f():\n    return len\n"
    first = compile_with(CodeCache(tmp_path), text)
    cache = CodeCache(tmp_path)
    cached = compile_with(cache, text)
    assert cached == first
    assert cached.code is not first.code
    module = execute(cached, Thread(), {}, lambda name, where: {"a": 5})
    assert Thread().call(module.globals["f"]) == 5
    assert cache.load(cache.key(text, "t.bzl", Dialect.BZL, Semantics(recursion=True), ())) is None
    assert cache.load(cache.key(text + b"#", "t.bzl", Dialect.BZL, Semantics(), ())) is None
    Path(cache.path).write_bytes(Path(cache.path).read_bytes()[:-9])  # a damaged cache is no cache
    assert compile_with(CodeCache(tmp_path), text) == first


def test_an_unwritable_cache_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    program = compile_source(
        b"x = 1",
        "t",
        dialect=Dialect.BZL,
        semantics=Semantics(),
        predeclared=(),
        cache=CodeCache(tmp_path / "file" / "under"),
    )
    assert execute(program, Thread(), {}, lambda name, where: {}).globals == {"x": 1}
