""".bzl files: loading them, and what rule(), aspect(), macro() and the like make."""

from __future__ import annotations

import pytest
from loading_support import failure, make_loader, package, target

from bazel2ninja.diagnostics import Location, WorkspaceError, render
from bazel2ninja.labels import Label, PackageIdentifier, parse_label
from bazel2ninja.loading.attributes import labels_in
from bazel2ninja.loading.environment import PerFile
from bazel2ninja.loading.loader import Loader, NoSuchTargetError
from bazel2ninja.loading.rule_class import ComputedDefault, ConfigurationField, RuleClass
from bazel2ninja.loading.rule_function import RuleFunction
from bazel2ninja.loading.select import SelectList
from bazel2ninja.loading.target import OutputFile, RuleTarget, SourceFile
from bazel2ninja.loading.transition import AspectClass, ExecGroup, ExecTransition, Subrule, Transition
from bazel2ninja.starlark import Semantics


def rule_of(loader: Loader, label: str) -> RuleTarget:
    found = target(loader, label)
    assert isinstance(found, RuleTarget)
    return found


def module_value(text: str, name: str, **globals: object) -> object:
    loader = make_loader({"a/BUILD": "", "a/x.bzl": text}, bzl_globals=globals)
    return loader.module(parse_label("//a:x.bzl")).get(name)


def kind(text: str, name: str = "r") -> RuleClass:
    function = module_value("def _i(ctx):\n    pass\n" + text, name)
    assert isinstance(function, RuleFunction)
    return function.rule_class


def bzl_failure(text: str) -> str:
    with pytest.raises(WorkspaceError) as caught:
        module_value("def _i(ctx):\n    pass\n" + text, "x")
    return "\n".join(render(diagnostic) for diagnostic in caught.value.diagnostics)


# Loading.


def test_modules_are_loaded_once_and_labels_are_relative_to_them() -> None:
    loader = make_loader(
        {
            "a/BUILD": 'load("//b:m.bzl", "make")\nmake(name = "x")',
            "b/BUILD": "",
            "b/m.bzl": "load(':n.bzl', 'LABEL')\nload('@r//s:o.bzl', 'REMOTE')\n"
            "def make(name):\n    native.filegroup(name = name, srcs = [':here', LABEL, Label(':there'), REMOTE])\n",
            "b/n.bzl": "LABEL = Label('//n')\n",
            "@r/s/BUILD": "",
            "@r/s/o.bzl": "REMOTE = Label('//t:u')\n",
        },
        repositories={"r": "r"},
    )
    wanted = ["//a:here", "//n:n", "//b:there", "@r//t:u"]
    assert rule_of(loader, "//a:x").attributes["srcs"] == tuple(map(parse_label, wanted))
    assert loader.module(parse_label("//b:n.bzl")) is loader.module(parse_label("//b:n.bzl"))
    closure = loader.load_closure(loader.package(PackageIdentifier("", "a")))
    assert [str(label) for label in closure] == ["//b:m.bzl", "//b:n.bzl", "@r//s:o.bzl"]


def test_cycles_of_loads_show_the_chain() -> None:
    loader = make_loader(
        {
            "a/BUILD": 'load(":x.bzl", "x")',
            "a/x.bzl": "load(':y.bzl', 'y')\nx = y\n",
            "a/y.bzl": "load(':x.bzl', 'x')\ny = x\n",
        }
    )
    with pytest.raises(WorkspaceError) as caught:
        loader.package(PackageIdentifier("", "a"))
    text = render(caught.value.diagnostic)
    assert "cycle of load() statements: '//a:x.bzl' loads itself" in text
    assert "'//a:x.bzl' loads '//a:y.bzl'" in text
    assert "'//a:y.bzl' loads '//a:x.bzl'" in text


@pytest.mark.parametrize(
    ("load", "message"),
    [
        ('load(":defz.bzl", "x")', "cannot load '//a:defz.bzl': no such file"),
        ('load("//b:x.bzl", "x")', "no such package '//b': BUILD file not found"),
        ('load(":x.txt", "x")', "the label must reference a file with extension '.bzl'"),
        ('load(":defs.bzl", "foo_barr")', "did you mean 'foo_bar'?"),
        ('load("@gone//:x.bzl", "x")\n[y for y in x()]', "no repository '@gone'"),
        ('load(":sub/deep.bzl", "x")', "label '//a:sub/deep.bzl' crosses the boundary of package 'a/sub'"),
    ],
)
def test_failing_loads(load: str, message: str) -> None:
    loader = make_loader(
        {"a/BUILD": load, "a/defs.bzl": "foo_bar = 1\n", "a/sub/BUILD": "", "a/sub/deep.bzl": "x = 1\n"}
    )
    with pytest.raises(WorkspaceError) as caught:
        loader.package(PackageIdentifier("", "a"))
    text = render(caught.value.diagnostic)
    assert message in text
    assert "src/a/BUILD:" in text


def test_a_failing_file_says_who_loads_it() -> None:
    loader = make_loader(
        {"a/BUILD": 'load(":x.bzl", "x")', "a/x.bzl": "load(':y.bzl', 'y')\nx = y\n", "a/y.bzl": "y = 1 + 'a'\n"}
    )
    for _ in range(2):
        with pytest.raises(WorkspaceError) as caught:
            loader.package(PackageIdentifier("", "a"))
        text = render(caught.value.diagnostic)
        assert "src/a/y.bzl:1:" in text
        assert text.count("loaded as ':y.bzl' here (src/a/x.bzl:1:") == 1
        assert text.count("loaded as ':x.bzl' here (src/a/BUILD:1:") == 1


def test_visibility_of_files() -> None:
    files = {
        "a/BUILD": "",
        "a/x.bzl": "visibility(['//friend', '//below/...'])\nx = 1\n",
        "a/p.bzl": "visibility('private')\nx = 1\n",
    }
    for consumer, file, visible in (
        ("a", "p", True),
        ("friend", "x", True),
        ("below/z", "x", True),
        ("friend", "p", False),
        ("other", "x", False),
    ):
        loader = make_loader({**files, f"{consumer}/BUILD": f'load("//a:{file}.bzl", "x")'})
        if visible:
            loader.package(PackageIdentifier("", consumer))
        else:
            with pytest.raises(WorkspaceError, match=f"'//a:{file}.bzl' is not visible for loading from package"):
                loader.package(PackageIdentifier("", consumer))
    assert "may not be set more than once" in bzl_failure("visibility('public')\nvisibility('public')")


def test_globals_of_upper_layers() -> None:
    class Provider:
        starlark_type = "Provider"
        exported: tuple[Label, str] | None = None

        def starlark_export(self, module: Label, name: str) -> None:
            self.exported = module, name

    found = module_value(
        "_P = provider()\nx = (_P, where, native.extra)\n",
        "x",
        provider=Provider,
        where=PerFile(lambda file: str(file.label)),
        native={"extra": 7},
    )
    assert isinstance(found, tuple)
    assert found[0].exported == (parse_label("//a:x.bzl"), "_P")
    assert found[1:] == ("//a:x.bzl", 7)


# rule() and attr.


def test_a_rule_and_its_attributes() -> None:
    made = kind(
        "def _compute(srcs):\n    return Label('//c')\n"
        "r = rule(implementation = _i, doc = 'text', attrs = {\n"
        "    'srcs': attr.label_list(allow_files = ['.cc'], mandatory = True),\n"
        "    'mode': attr.string(values = ['a', 'b'], default = 'a'),\n"
        "    '_tool': attr.label(default = ':tool', executable = True, cfg = 'exec', allow_single_file = True),\n"
        "    '_late': attr.label(default = configuration_field('cpp', 'cc_toolchain')),\n"
        "    '_computed': attr.label(default = _compute),\n"
        "    'out': attr.output(),\n"
        "    'dep': attr.label(providers = [['p', 'q'], ['s']], cfg = config.exec('g')),\n"
        "}, toolchains = ['//t:t', config_common.toolchain_type('//o:o', mandatory = False)],\n"
        "   exec_groups = {'g': exec_group(exec_compatible_with = ['//c:v'])},\n"
        "   fragments = ['cpp'], host_fragments = ['cpp'],\n"
        "   provides = ['p'], incompatible_use_toolchain_transition = True, _skylark_testable = True)\n"
    )
    assert (made.name, made.defined_in, made.doc, made.native) == ("r", parse_label("//a:x.bzl"), "text", False)
    schema = made.attributes
    assert schema["srcs"].allow_files == (".cc",)
    assert schema["srcs"].mandatory
    assert schema["mode"].allowed_values == ("a", "b")
    assert schema["_tool"].default is parse_label("//a:tool")
    assert (schema["_tool"].single_file, schema["_tool"].allow_files, schema["_tool"].cfg) == (True, True, "exec")
    assert isinstance(schema["_late"].default, ConfigurationField)
    assert isinstance(schema["_computed"].default, ComputedDefault)
    assert schema["_computed"].default.attributes == ("srcs",)
    assert schema["dep"].providers == (("p", "q"), ("s",))
    assert schema["dep"].cfg == ExecTransition("g")
    assert made.toolchains == ((parse_label("//t:t"), True), (parse_label("//o:o"), False))
    group = made.exec_groups["g"]
    assert isinstance(group, ExecGroup)
    assert group.exec_compatible_with == (parse_label("//c:v"),)
    assert made.exposes_actions
    assert made.mandatory_attributes == ("srcs",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x_test = rule(implementation = _i)", "test rule class names must end with '_test'"),
        ("x = rule(implementation = _i, test = True)", "test rule class names must end with '_test'"),
        ("x = rule(implementation = 1)", "parameter 'implementation' got value of type 'int', want 'function'"),
        ("x = rule(implementation = _i, attrs = {'tags': attr.string()})", "`tags`: built-in attributes cannot"),
        ("x = rule(implementation = _i, attrs = {'a-b': attr.string()})", "'a-b' is not a valid identifier"),
        ("x = rule(implementation = _i, attrs = {'a': 1})", "expected an attribute for 'a' in 'attrs', but got int"),
        ("x = rule(implementation = _i, attr = {})", "got unexpected keyword argument 'attr'"),
        ("x = attr.label(executable = True)", "cfg parameter is mandatory when executable=True is provided"),
        ("x = attr.string(defualt = 'a')", "string() got unexpected keyword argument 'defualt'"),
        ("x = attr.string(default = 1)", "expected value of type 'string' for attribute 'default'"),
        ("x = attr.label(allow_files = True, allow_single_file = True)", "cannot specify both allow_files and"),
        ("x = attr.strin()", "did you mean 'string'?"),
        ("x = attr.label(cfg = 'hots')", "cfg must be either 'target', 'exec' or a transition, but got \"hots\""),
        (
            "x = aspect(implementation = _i, propagation_predicate = _i)",
            "propagation_predicate = ...) is not supported",
        ),
        ("x = Label(1)", "parameter 'input' got value of type 'int', want 'string or Label'"),
        ("x = Label('//a:')", "empty target name"),
    ],
)
def test_misuse_in_bzl_files(text: str, message: str) -> None:
    assert message in bzl_failure(text)


def test_rules_make_targets() -> None:
    made = package(
        'load(":defs.bzl", "r", renamed = "s")\nr(name = "x", dep = "f.txt")\nrenamed(name = "y")',
        BZL="def _i(ctx):\n    pass\nr = rule(implementation = _i, attrs = {'dep': attr.label(allow_files = True),"
        " '_own': attr.label(default = '//a:own.txt')})\ns = rule(implementation = _i)\n",
    )
    rule = made.targets["x"]
    assert isinstance(rule, RuleTarget)
    assert rule.kind == "r rule"
    assert made.targets["y"].kind == "s rule"
    assert isinstance(made.targets["f.txt"], SourceFile)
    assert isinstance(made.targets["own.txt"], SourceFile)
    assert rule.value("_own") is parse_label("//a:own.txt")


def test_private_attributes_cannot_be_given() -> None:
    assert "no such attribute '_own' in 'r' rule" in failure(
        'load(":defs.bzl", "r")\nr(name = "x", _own = "y")',
        BZL="def _i(ctx):\n    pass\nr = rule(implementation = _i, attrs = {'_own': attr.string()})\n",
    )


def test_predeclared_outputs() -> None:
    made = package(
        'load(":defs.bzl", "r", "s")\nr(name = "d/x", srcs = ["p.in", "q.in"])\ns(name = "y", flag = "on", src = "z")',
        BZL="def _i(ctx):\n    pass\n"
        "r = rule(implementation = _i, attrs = {'srcs': attr.label_list(allow_files = True)},\n"
        "         outputs = {'h': '%{name}.h', 'each': '%{dirname}%{srcs}.o', 'b': '%{basename}.b%%'})\n"
        "def _outs(name, flag, src):\n    return {'o': '%{name}.' + flag, 'p': src.name + '.p'}\n"
        "s = rule(implementation = _i, attrs = {'flag': attr.string(), 'src': attr.label(allow_files = True)},"
        " outputs = _outs)\n",
    )
    rule = made.targets["d/x"]
    assert isinstance(rule, RuleTarget)
    names = {key: [label.name for label in labels] for key, labels in rule.outputs.items()}
    assert names == {"h": ["d/x.h"], "each": ["d/p.in.o", "d/q.in.o"], "b": ["x.b%"]}
    assert isinstance(made.targets["d/x.h"], OutputFile)
    assert {"y.on", "z.p"} <= made.targets.keys()


def test_unknown_placeholder_and_configurable_outputs() -> None:
    bzl = (
        "def _i(ctx):\n    pass\nr = rule(implementation = _i, attrs = {'s': attr.string()},"
        " outputs = {'o': '%{t}.h'})\n"
        "def _o(s):\n    return {}\nq = rule(implementation = _i, attrs = {'s': attr.string()}, outputs = _o)\n"
    )
    assert "invalid placeholder(s) in template '%{t}.h'" in failure('load(":defs.bzl", "r")\nr(name = "x")', BZL=bzl)
    assert "attribute 's' either doesn't exist or uses a select()" in failure(
        'load(":defs.bzl", "q")\nq(name = "x", s = select({"//conditions:default": ""}))', BZL=bzl
    )


def test_initializer_and_parent() -> None:
    made = package(
        'load(":defs.bzl", "child")\nchild(name = "x", deps = [":d"], mode = "slow")',
        BZL="def _i(ctx):\n    pass\n"
        "def _base(name, deps, mode = 'fast'):\n    return {'deps': deps + ['//more'], 'copts': [mode, deps[0].name]}\n"
        "base = rule(implementation = _i, initializer = _base, attrs = {\n"
        "    'deps': attr.label_list(), 'copts': attr.string_list(), 'mode': attr.string()})\n"
        "def _child(name, extra = 'e', **kwargs):\n    return {'mode': kwargs['mode'] + name}\n"
        "child = rule(implementation = _i, parent = base, initializer = _child, attrs = {'extra': attr.string()})\n",
    )
    rule = made.targets["x"]
    assert isinstance(rule, RuleTarget)
    assert rule.attributes["deps"] == (parse_label("//a:d"), parse_label("//more:more"))
    assert rule.attributes["copts"] == ("slowx", "d")
    assert rule.rule_class.parent is not None
    assert rule.rule_class.parent.name == "base"


def test_build_settings() -> None:
    made = package(
        'load(":defs.bzl", "flag")\nflag(name = "x", build_setting_default = True)',
        BZL="def _i(ctx):\n    pass\nflag = rule(implementation = _i, build_setting = config.bool(flag = True))\n",
    )
    rule = made.targets["x"]
    assert isinstance(rule, RuleTarget)
    assert rule.value("build_setting_default") is True
    assert "missing value for mandatory attribute 'build_setting_default'" in failure(
        'load(":defs.bzl", "flag")\nflag(name = "x")',
        BZL="def _i(ctx):\n    pass\nflag = rule(implementation = _i, build_setting = config.string())\n",
    )


def test_transitions_aspects_and_subrules_are_values() -> None:
    values = module_value(
        "def _i(x):\n    pass\n"
        "t = transition(implementation = _i, inputs = [], outputs = ['//command_line_option:copt', ':s'])\n"
        "asp = aspect(_i, attr_aspects = ['deps'], attrs = {'_x': attr.string(default = 'y')},"
        " required_providers = ['p'])\n"
        "sub = subrule(implementation = _i)\n"
        "x = (t, asp, sub)\n",
        "x",
    )
    assert isinstance(values, tuple)
    transition, aspect, subrule = values
    assert isinstance(transition, Transition)
    assert transition.outputs == {
        "//command_line_option:copt": parse_label("//command_line_option:copt"),
        ":s": parse_label("//a:s"),
    }
    assert isinstance(aspect, AspectClass)
    assert (aspect.name, aspect.attribute_aspects, aspect.required_providers) == ("asp", ("deps",), (("p",),))
    assert isinstance(subrule, Subrule)
    assert subrule.name == "sub"


# Symbolic macros.

MACRO = """
def _m(name, visibility, srcs, flag, **kwargs):
    native.filegroup(name = name, srcs = srcs, visibility = visibility)
    native.filegroup(name = name + "_inner", testonly = flag)
    native.filegroup(name = name + "-" + type(srcs))

m = macro(implementation = _m, attrs = {
    "srcs": attr.label_list(),
    "flag": attr.bool(default = True, configurable = False),
})

def _bad(name, visibility):
    native.filegroup(name = "other")

bad = macro(implementation = _bad)

def _last(name, visibility):
    native.filegroup(name = name, data = sorted(native.existing_rules().keys()))

last = macro(implementation = _last, finalizer = True)

def _lib(name, visibility, copts, **kwargs):
    native.cc_library(name = name, copts = (copts or []) + ["-w"], visibility = visibility, **kwargs)

lib = macro(implementation = _lib, inherit_attrs = native.cc_library)
"""


def test_symbolic_macro() -> None:
    loader = make_loader(
        {
            "a/BUILD": 'load("//d:m.bzl", "m")\nm(name = "x", srcs = ["f"], visibility = ["//v:__pkg__"])',
            "d/BUILD": "",
            "d/m.bzl": MACRO,
        }
    )
    rule = rule_of(loader, "//a:x")
    assert isinstance(rule.attributes["srcs"], SelectList)
    assert labels_in(rule.attributes["srcs"]) == [parse_label("//a:f")]
    assert rule.visibility.packages == tuple((PackageIdentifier("", name), False) for name in ("v", "a", "d"))
    assert rule_of(loader, "//a:x_inner").attributes["testonly"] is True
    assert not rule_of(loader, "//a:x_inner").visibility.public
    assert rule_of(loader, "//a:x-select").generator_function == "m"


def test_macro_errors_and_finalizers() -> None:
    assert "violates macro naming rules" in failure('load(":defs.bzl", "bad")\nbad(name = "x")', BZL=MACRO)
    text = failure('load(":defs.bzl", "m")\nm(name = "x", src = [])', BZL=MACRO)
    assert "no such attribute 'src' in 'm' macro" in text
    assert "did you mean 'srcs'?" in text
    made = package('load(":defs.bzl", "last")\nlast(name = "z")\nfilegroup(name = "b")', BZL=MACRO)
    assert made.targets["z"].location == Location("src/a/BUILD", 2, 1)
    assert [label.name for label in made.targets["z"].attributes["data"]] == ["b"]  # type: ignore[union-attr,attr-defined]


def test_inherited_attributes() -> None:
    made = package('load(":defs.bzl", "lib")\nlib(name = "x", srcs = ["x.cc"], linkstatic = True)', BZL=MACRO)
    rule = made.targets["x"]
    assert isinstance(rule, RuleTarget)
    assert rule.attributes.keys() >= {"srcs", "copts", "linkstatic"}
    assert "deps" not in rule.attributes


# Functions of BUILD files.


def test_existing_rules() -> None:
    made = package(
        'load(":defs.bzl", "look")\ncc_library(name = "x", srcs = ["x.cc"], deps = ["//b:c"], copts = ["-O"])\nlook()',
        BZL="def look():\n"
        "    rule = native.existing_rule('x')\n"
        "    if native.existing_rule('y') == None and rule['kind'] == 'cc_library' and rule['srcs'] == (':x.cc',):\n"
        "        native.filegroup(name = 'ok', data = rule['deps'])\n"
        "    native.filegroup(name = 'n-' + '-'.join(native.existing_rules().keys()))\n",
    )
    assert made.targets["ok"].attributes["data"] == (parse_label("//b:c"),)  # type: ignore[union-attr]
    assert "n-x-ok" in made.targets


def test_package_functions() -> None:
    loader = make_loader(
        {
            "a/b/BUILD": 'package(default_testonly = True, features = ["f"])\nlicenses(["notice"])\n'
            'filegroup(name = package_name() + "+" + repository_name())\n'
            'filegroup(name = "l", srcs = [package_relative_label(":q")], data = package_default_visibility())\n'
            "filegroup(name = str(module_name()))\n"
        }
    )
    made = loader.package(PackageIdentifier("", "a/b"))
    assert {"a/b+@", "l", "None"} <= made.targets.keys()
    assert (made.defaults.testonly, made.defaults.features, made.defaults.licenses) == (True, ("f",), ("notice",))
    assert "'package' can only be used once per BUILD file" in failure("package(features = [])\npackage(features = [])")
    assert "package() got unexpected keyword argument 'default_visiblity'" in failure("package(default_visiblity = [])")


def test_absent_repositories_fail_only_who_needs_them() -> None:
    loader = make_loader(
        {
            "a/BUILD": 'load("@gone//:x.bzl", "thing", "VALUE")\n\nthing(name = "t")\nfilegroup(name = "x")\n'
            'filegroup(name = "v", srcs = ["s"] + VALUE)\nfilegroup(name = "d", srcs = [":t"])'
        }
    )
    assert target(loader, "//a:x")
    consumer = rule_of(loader, "//a:d")
    for name, line in (("t", 3), ("v", 5)):
        with pytest.raises(NoSuchTargetError) as caught:
            loader.target(parse_label(f"//a:{name}"), consumer)
        text = render(caught.value.diagnostic)
        assert f"src/a/BUILD:{line}:1: error: no repository '@gone'" in text
        assert f"'//a:{name}' is wanted by '//a:d'" in text
    assert [str(label) for label in loader.expand(["//a:all"])] == ["//a:d", "//a:t", "//a:v", "//a:x"]


def test_what_an_absent_macro_may_have_made() -> None:
    loader = make_loader(
        {"a/BUILD": 'load("@gone//:x.bzl", "thing")\nthing(name = "t")\nfilegroup(name = "x", srcs = ["t.h"])'}
    )
    wanted = "the call for 't' may have made it, but: no repository '@gone' (src/a/BUILD:2:1)"
    with pytest.raises(NoSuchTargetError) as caught:
        target(loader, "//a:t_lib")
    assert wanted in render(caught.value.diagnostic)
    source = target(loader, "//a:t.h")
    assert isinstance(source, SourceFile)
    with pytest.raises(NoSuchTargetError) as caught:
        loader.check_source(source)
    assert wanted in render(caught.value.diagnostic)


def test_bound_names() -> None:
    loader = make_loader({"BUILD": ""})
    loader.workspace.bindings = {"zlib": (parse_label("@z//:z"), Location("src/WORKSPACE", 3, 1))}  # type: ignore[misc]
    rule = rule_of(loader, "//external:zlib")
    assert rule.value("actual") is parse_label("@z//:z")
    assert rule.location == Location("src/WORKSPACE", 3, 1)
    with pytest.raises(NoSuchTargetError):
        target(loader, "//external:zlip")


def test_package_name_as_a_variable() -> None:
    files = {
        "m.bzl": "def macro():\n    native.filegroup(name = PACKAGE_NAME + '-of-' + REPOSITORY_NAME + '.')\n",
        "a/b/BUILD": 'load("//:m.bzl", "macro")\nmacro()\nfilegroup(name = PACKAGE_NAME + "-x")\n',
        "BUILD": "",
    }
    old = make_loader(files, semantics=Semantics.for_bazel("0.26.1"))
    assert set(old.package(PackageIdentifier("", "a/b")).targets) >= {"a/b-of-@.", "a/b-x"}
    assert set(make_loader(files, semantics=Semantics.tolerant()).package(PackageIdentifier("", "a/b")).targets)
    with pytest.raises(WorkspaceError, match="name 'PACKAGE_NAME' is not defined"):
        make_loader(files).package(PackageIdentifier("", "a/b"))


def test_native_in_a_build_file() -> None:
    files = {"BUILD": "native.filegroup(name = 'made')\n"}
    assert (
        "made" in make_loader(files, semantics=Semantics.for_bazel("0.26.1")).package(PackageIdentifier("", "")).targets
    )
    with pytest.raises(WorkspaceError, match="name 'native' is not defined"):
        make_loader(files, semantics=Semantics.for_bazel("2.1.0")).package(PackageIdentifier("", ""))


DEFAULTS = """
def macro(name, sizes = {}, tags = {"y": ["z"]}):
    native.filegroup(name = name + sizes.pop(name, "-small"), tags = tags.setdefault("y", []))
    for key in tags:
        tags.pop("absent", None)
"""


def test_pop_that_changes_nothing() -> None:
    """As Bazel 4.2.3 has it: the default of a parameter is frozen, and pop() of an absent key leaves it alone."""
    files = {"m.bzl": DEFAULTS, "BUILD": 'load("//:m.bzl", "macro")\nmacro(name = "a")\n'}
    old = make_loader(files, semantics=Semantics.for_bazel("4.2.3"))
    assert "a-small" in old.package(PackageIdentifier("", "")).targets
    with pytest.raises(WorkspaceError, match="trying to mutate a frozen dict value"):
        make_loader(files, semantics=Semantics.for_bazel("7.7.1")).package(PackageIdentifier("", ""))
    present = {**files, "m.bzl": DEFAULTS.replace('tags.pop("absent", None)', 'tags.pop("y", None)')}
    with pytest.raises(WorkspaceError, match=r"trying to mutate a frozen dict|temporarily immutable"):
        make_loader(present, semantics=Semantics.for_bazel("4.2.3")).package(PackageIdentifier("", ""))


def test_what_an_absent_repository_would_define_is_empty() -> None:
    files = {
        "m.bzl": 'load("@absent//:v.bzl", "MAPPING")\n'
        'def macro():\n    if "3.11" in MAPPING:\n        fail("it is not there")\n'
        '    for part in MAPPING.keys():\n        fail("nor this")\n    native.filegroup(name = "made")\n',
        "BUILD": 'load("//:m.bzl", "macro")\nmacro()\n',
    }
    loader = make_loader(files)
    with pytest.raises(WorkspaceError, match="no repository '@absent'"):
        loader.package(PackageIdentifier("", ""))


def test_a_symbol_that_a_loaded_file_has_loaded() -> None:
    files = {
        "one.bzl": "def made(name):\n    native.filegroup(name = name)\n\nother = 'list'\n",
        "two.bzl": "load('//:one.bzl', 'made', list = 'other', _private = 'other')\n",
        "BUILD": "load('//:two.bzl', 'made', word = 'list')\nmade(name = word)\n",
    }
    old = Semantics.for_bazel("0.24.1")
    assert "list" in make_loader(files, semantics=old).package(PackageIdentifier("", "")).targets
    with pytest.raises(WorkspaceError, match=r"file '//:two.bzl' does not contain symbol 'made'"):
        make_loader(files, semantics=Semantics.for_bazel("0.25.0")).package(PackageIdentifier("", ""))
    private = {**files, "BUILD": files["BUILD"].replace("'list')", "'_private')")}
    with pytest.raises(WorkspaceError, match=r"symbol '_private'"):
        make_loader(private, semantics=old).package(PackageIdentifier("", ""))


def test_load_of_a_path() -> None:
    """Until Bazel 0.9.0, load() took paths without extension, of the same package or from the root."""
    files = {
        "a/one.bzl": "ONE = 'one'\n",
        "a/BUILD": "load('one', 'ONE')\nload('/b/c/two', 'TWO')\nfilegroup(name = ONE + TWO)\n",
        "b/c/two.bzl": "TWO = 'two'\n",
        "b/c/BUILD": "",
    }
    old = make_loader(files, semantics=Semantics.for_bazel("0.8.1"))
    assert "onetwo" in old.package(PackageIdentifier("", "a")).targets
    with pytest.raises(WorkspaceError, match="must reference a file with extension"):
        make_loader(files, semantics=Semantics.for_bazel("0.9.0")).package(PackageIdentifier("", "a"))


def test_the_package_of_the_command_line_s_tools() -> None:
    """//tools/defaults was made by Bazel until 0.23."""
    files = {"BUILD": "", "tools/BUILD": ""}
    old = make_loader(files, semantics=Semantics.for_bazel("0.22.0"))
    rule = target(old, "//tools/defaults:crosstool")
    assert isinstance(rule, RuleTarget)
    assert rule.value("actual") == parse_label("@bazel_tools//tools/cpp:current_cc_toolchain")
    with pytest.raises(NoSuchTargetError):
        target(old, "//tools/defaults:absent")
    with pytest.raises(WorkspaceError, match="no such package '//tools/defaults'"):
        target(make_loader(files, semantics=Semantics.for_bazel("0.23.0")), "//tools/defaults:crosstool")
