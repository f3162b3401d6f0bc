"""The attributes that every rule has: https://bazel.build/reference/be/common-definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bazel2ninja.loading.rule_class import Attribute, AttributeType

_T = AttributeType
_ADVISORY = "it informs people and tools, and changes no action"
_ONE_HOST = "there is one execution platform"
_REMOTE = "it concerns remote execution only"


def _attributes(*attributes: Attribute) -> Mapping[str, Attribute]:
    return MappingProxyType({attribute.name: attribute for attribute in attributes})


_ALL_RULES = _attributes(
    Attribute("name", _T.STRING, mandatory=True, configurable=False),
    Attribute("visibility", _T.NODEP_LABEL_LIST, configurable=False),
    Attribute("tags", _T.STRING_LIST, configurable=False),
    Attribute("testonly", _T.BOOLEAN, configurable=False),
    Attribute("deprecation", _T.STRING, configurable=False, irrelevant=_ADVISORY),
    Attribute("features", _T.STRING_LIST),
    Attribute("generator_name", _T.STRING, configurable=False, irrelevant=_ADVISORY),
    Attribute("generator_function", _T.STRING, configurable=False, irrelevant=_ADVISORY),
    Attribute("generator_location", _T.STRING, configurable=False, irrelevant=_ADVISORY),
    Attribute("compatible_with", _T.NODEP_LABEL_LIST, configurable=False, irrelevant="environments are not checked"),
    Attribute("restricted_to", _T.NODEP_LABEL_LIST, configurable=False, irrelevant="environments are not checked"),
    Attribute("target_compatible_with", _T.LABEL_LIST),
    Attribute("exec_compatible_with", _T.NODEP_LABEL_LIST, configurable=False, irrelevant=_ONE_HOST),
    Attribute("exec_group_compatible_with", _T.LABEL_LIST_DICT, configurable=False, irrelevant=_ONE_HOST),
    Attribute("exec_properties", _T.STRING_DICT, irrelevant=_REMOTE),
    Attribute("toolchains", _T.LABEL_LIST, configurable=False),
    Attribute("aspect_hints", _T.LABEL_LIST, configurable=False, irrelevant="no rule kind of ours reads hints"),
    Attribute("licenses", _T.LICENSE, configurable=False, irrelevant=_ADVISORY),
    Attribute("applicable_licenses", _T.NODEP_LABEL_LIST, configurable=False),
    Attribute("package_metadata", _T.NODEP_LABEL_LIST, configurable=False),
    Attribute("distribs", _T.STRING_LIST, configurable=False, irrelevant=_ADVISORY),
)

_EXECUTABLE_RULES = _attributes(
    Attribute("args", _T.STRING_LIST),
    Attribute("output_licenses", _T.LICENSE, configurable=False, irrelevant=_ADVISORY),
)

_TEST_RULES = _attributes(
    Attribute("testonly", _T.BOOLEAN, True, configurable=False),
    Attribute("size", _T.STRING, "medium", configurable=False, allowed_values=("small", "medium", "large", "enormous")),
    Attribute(
        "timeout",
        _T.STRING,
        configurable=False,
        allowed_values=("short", "moderate", "long", "eternal", ""),
    ),
    Attribute("flaky", _T.BOOLEAN),
    Attribute("shard_count", _T.INTEGER, -1),
    Attribute("local", _T.BOOLEAN, configurable=False, irrelevant="every action runs locally"),
)

_NATIVE_ENVIRONMENT = _attributes(
    Attribute("env", _T.STRING_DICT),
    Attribute("env_inherit", _T.STRING_LIST, configurable=False),
)


def with_common_attributes(
    attributes: Iterable[Attribute], *, executable: bool = False, test: bool = False, native: bool = True
) -> Mapping[str, Attribute]:
    """`attributes` by name after those that a rule of this sort has anyway; a given one replaces a common one.

    Rules of .bzl files declare `env` themselves where they want it; executable native kinds have it.
    """
    result = dict(common_attributes(executable=executable, test=test, native=native))
    for attribute in attributes:
        result[attribute.name] = attribute
    return MappingProxyType(result)


def common_attributes(*, executable: bool = False, test: bool = False, native: bool = True) -> dict[str, Attribute]:
    """What with_common_attributes adds."""
    result = dict(_ALL_RULES)
    if executable or test:
        result.update(_EXECUTABLE_RULES)
        if native:
            result.update(_NATIVE_ENVIRONMENT)
    if test:
        result.update(_TEST_RULES)
    return result
