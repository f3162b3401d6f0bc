"""Which tests a test_suite stands for: https://bazel.build/reference/be/general#test_suite"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.loader import Loader
from bazel2ninja.loading.target import RuleTarget


def is_test_suite(target: object) -> TypeGuard[RuleTarget]:
    """Whether a target only stands for tests."""
    return isinstance(target, RuleTarget) and target.rule_class.native and target.rule_class.name == "test_suite"


def expand_test_suite(loader: Loader, suite: RuleTarget, outer: Sequence[Label] = ()) -> list[Label]:
    """The tests of a test_suite, in order, each once; raises WorkspaceError when it names what is no test.

    outer: the suites that name this one.
    """
    if suite.label in outer:
        raise WorkspaceError(Diagnostic(f"test_suite {suite.label} contains itself", suite.location))
    tags = _texts(suite.attributes.get("tags"))
    named = suite.attributes.get("tests")
    if not isinstance(named, tuple) or not named:
        targets = loader.package(suite.label.package).targets.values()
        return sorted(
            target.label
            for target in targets
            if isinstance(target, RuleTarget)
            and target.rule_class.test
            and _selected(target, tags)
            and ("manual" not in _tags(target) or "manual" in tags)
        )
    found: dict[Label, None] = {}
    for label in named:
        target = loader.target(label, suite)
        if is_test_suite(target):
            candidates = expand_test_suite(loader, target, (*outer, suite.label))
        elif isinstance(target, RuleTarget) and target.rule_class.test:
            candidates = [label]
        else:
            raise WorkspaceError(
                Diagnostic(
                    f"in tests attribute of test_suite rule {suite.label}: expecting a test or a test_suite rule but "
                    f"'{label}' is not one",
                    suite.location,
                )
            )
        for each in candidates:
            test = loader.target(each)
            if isinstance(test, RuleTarget) and _selected(test, tags):
                found[each] = None
    return list(found)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(text) for text in value) if isinstance(value, tuple) else ()


def _tags(target: RuleTarget) -> set[str]:
    """The tags of a test, its size among them."""
    return {*_texts(target.attributes.get("tags")), str(target.value("size"))}


def _selected(target: RuleTarget, tags: Iterable[str]) -> bool:
    """Whether a test has every wanted tag, and none of those with "-" in front.  "manual" is no condition."""
    own = _tags(target)
    for tag in tags:
        if tag == "manual":
            continue
        if tag.startswith("-"):
            if tag[1:] in own:
                return False
        elif tag.removeprefix("+") not in own:
            return False
    return True
