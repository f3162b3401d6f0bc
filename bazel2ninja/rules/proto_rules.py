"""The table of native rule kinds for protocol buffers: https://bazel.build/reference/be/protocol-buffer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bazel2ninja.loading.common_attributes import with_common_attributes
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.rules import proto_cc, proto_library
from bazel2ninja.rules.cc_info import CcInfo
from bazel2ninja.rules.proto_compile import ProtoCommon
from bazel2ninja.rules.proto_info import ProtoInfo
from bazel2ninja.starlark import ProtoModule


def _table() -> dict[str, RuleClass]:
    kinds = (
        RuleClass(
            name="proto_library",
            attributes=with_common_attributes(proto_library.LIBRARY_ATTRIBUTES),
            implementation=proto_library.proto_library,
            native=True,
            provides=(ProtoInfo,),
            fragments=("proto",),
        ),
        RuleClass(
            name="proto_lang_toolchain",
            attributes=with_common_attributes(proto_library.TOOLCHAIN_ATTRIBUTES),
            implementation=proto_library.proto_lang_toolchain,
            native=True,
            fragments=("proto",),
        ),
        RuleClass(
            name="cc_proto_library",
            attributes=with_common_attributes(proto_cc.ATTRIBUTES),
            implementation=proto_cc.cc_proto_library,
            native=True,
            provides=(CcInfo,),
            fragments=("cpp", "proto"),
        ),
    )
    return {kind.name: kind for kind in kinds}


PROTO_RULES: Mapping[str, RuleClass] = MappingProxyType(_table())


def proto_bzl_globals() -> dict[str, object]:
    """What .bzl files see of protocol buffers."""
    common = ProtoCommon()
    return {
        "ProtoInfo": ProtoInfo,
        "proto": ProtoModule(),
        "proto_common": common,
        "proto_common_do_not_use": common,
    }
