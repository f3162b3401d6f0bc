"""The table of native C++ rule kinds: https://bazel.build/reference/be/c-cpp."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bazel2ninja.loading.common_attributes import with_common_attributes
from bazel2ninja.loading.rule_class import Attribute, AttributeType, RuleClass
from bazel2ninja.rules import cc_shared_library
from bazel2ninja.rules.cc_attributes import LIBRARY_ATTRIBUTES, binary_attributes
from bazel2ninja.rules.cc_binary import cc_binary, cc_test
from bazel2ninja.rules.cc_info import CcInfo
from bazel2ninja.rules.cc_library import IMPORT_ATTRIBUTES, STATIC_ATTRIBUTES, cc_import, cc_library, cc_static_library
from bazel2ninja.rules.cc_toolchain import TOOLCHAIN_RULES

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType


def _refused(ctx: RuleContext) -> Iterable[Any]:
    raise ctx.error(f"{ctx.kind} is for Apple platforms, which are not supported")


# objc_library and its relatives: BUILD files of portable projects declare them, no Linux build needs them.
_APPLE_ATTRIBUTES: tuple[Attribute, ...] = (
    *(
        Attribute(name, _T.LABEL_LIST, allow_files=True)
        for name in ("srcs", "non_arc_srcs", "hdrs", "textual_hdrs", "deps", "implementation_deps", "data", "archives")
    ),
    *(
        Attribute(name, _T.STRING_LIST)
        for name in ("copts", "conlyopts", "cxxopts", "defines", "includes", "linkopts", "sdk_frameworks")
    ),
    *(Attribute(name, _T.STRING_LIST) for name in ("weak_sdk_frameworks", "sdk_dylibs", "sdk_includes")),
    *(Attribute(name, _T.BOOLEAN) for name in ("enable_modules", "alwayslink", "linkstatic")),
    *(Attribute(name, _T.STRING) for name in ("module_name", "stamp")),
    *(Attribute(name, _T.LABEL, allow_files=True) for name in ("pch", "module_map")),
)


def _rule(
    name: str,
    attributes: Iterable[Attribute],
    implementation: Any,
    *,
    executable: bool = False,
    test: bool = False,
    outputs: object = None,
    provides: tuple[object, ...] = (),
) -> RuleClass:
    return RuleClass(
        name=name,
        attributes=with_common_attributes(attributes, executable=executable, test=test),
        implementation=implementation,
        native=True,
        executable=executable or test,
        test=test,
        outputs=outputs,
        provides=provides,
        fragments=("cpp",),
    )


def _table() -> dict[str, RuleClass]:
    kinds = [
        _rule("cc_library", LIBRARY_ATTRIBUTES, cc_library, provides=(CcInfo,)),
        _rule("cc_static_library", STATIC_ATTRIBUTES, cc_static_library),
        _rule("cc_import", IMPORT_ATTRIBUTES, cc_import, provides=(CcInfo,)),
        _rule(
            "cc_binary",
            binary_attributes(linkstatic=True),
            cc_binary,
            executable=True,
            outputs={"stripped_binary": "%{name}.stripped", "dwp_file": "%{name}.dwp"},
        ),
        _rule(
            "cc_test",
            binary_attributes(linkstatic=False),
            cc_test,
            test=True,
            outputs={"dwp_file": "%{name}.dwp"},
        ),
        _rule("cc_shared_library", cc_shared_library.ATTRIBUTES, cc_shared_library.cc_shared_library),
        *(_rule(name, attributes, made) for name, (attributes, made) in TOOLCHAIN_RULES.items()),
        _rule("objc_library", _APPLE_ATTRIBUTES, _refused),
        _rule("objc_import", _APPLE_ATTRIBUTES, _refused),
    ]
    return {kind.name: kind for kind in kinds}


CC_RULES: Mapping[str, RuleClass] = MappingProxyType(_table())
