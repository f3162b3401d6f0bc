"""The native rule kinds, by name: what a BUILD file can use without load(); and what rules/ adds to .bzl files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.rules.cc_common import cc_bzl_globals
from bazel2ninja.rules.cc_rules import CC_RULES
from bazel2ninja.rules.config_rules import CONFIG_RULES
from bazel2ninja.rules.general import GENERAL_RULES
from bazel2ninja.rules.genrule import GENRULE_RULES
from bazel2ninja.rules.proto_rules import PROTO_RULES
from bazel2ninja.rules.python import PYTHON_GLOBALS, PYTHON_RULES
from bazel2ninja.rules.shell import SHELL_RULES
from bazel2ninja.rules.unsupported import UNSUPPORTED_RULES


def native_bzl_globals(others: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    """Name -> value of everything that belongs to a language, and `others`.

    The providers of Python rules are fields of `native`, too, where .bzl files look whether a release has them.
    """
    native = others.get("native", {})
    assert isinstance(native, Mapping)
    return {**cc_bzl_globals(), **PYTHON_GLOBALS, **others, "native": {**native, **PYTHON_GLOBALS}}


NATIVE: Mapping[str, RuleClass] = MappingProxyType(
    {
        **UNSUPPORTED_RULES,  # another table may know better
        **GENERAL_RULES,
        **GENRULE_RULES,
        **CONFIG_RULES,
        **SHELL_RULES,
        **PYTHON_RULES,
        **CC_RULES,
        **PROTO_RULES,
    }
)
