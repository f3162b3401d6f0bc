"""The native rule kinds, by name: what a BUILD file can use without load()."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.rules.cc_rules import CC_RULES
from bazel2ninja.rules.config_rules import CONFIG_RULES
from bazel2ninja.rules.general import GENERAL_RULES
from bazel2ninja.rules.genrule import GENRULE_RULES

NATIVE: Mapping[str, RuleClass] = MappingProxyType({**GENERAL_RULES, **GENRULE_RULES, **CONFIG_RULES, **CC_RULES})
