"""Visibility as it is written: https://bazel.build/concepts/visibility and package_group()."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bazel2ninja.diagnostics import Diagnostic
from bazel2ninja.labels import Label, LabelSyntaxError, PackageIdentifier, RepositoryMapping, check_package_path
from bazel2ninja.loading.target import PRIVATE, PUBLIC, Visibility
from bazel2ninja.starlark import EvalError, type_name


def parse_visibility(labels: Iterable[Label]) -> Visibility:
    """The meaning of the labels of an attribute `visibility`; raises EvalError for an unknown //visibility: label."""
    packages: list[tuple[PackageIdentifier, bool]] = []
    groups: list[Label] = []
    for label in labels:
        if label.package.path == "visibility" and not label.repository:
            if label.name in ("public", "legacy_public"):
                return PUBLIC
            if label.name != "private":
                raise EvalError(
                    Diagnostic(
                        f"invalid visibility label '{label}'",
                        help="//visibility:public and //visibility:private exist; '//a:__pkg__' names a package",
                    )
                )
        elif label.name == "__pkg__":
            packages.append((label.package, False))
        elif label.name == "__subpackages__":
            packages.append((label.package, True))
        else:
            groups.append(label)
    if not packages and not groups:
        return PRIVATE
    return Visibility(packages=tuple(packages), groups=tuple(groups))


def matches(packages: Iterable[tuple[PackageIdentifier, bool]], package: PackageIdentifier) -> bool:
    """Whether `package` is one of `packages`, or below one of those that stand for their subpackages, too."""
    return any(
        package is allowed
        or (
            below
            and package.repository == allowed.repository
            and (not allowed.path or package.path.startswith(allowed.path + "/"))
        )
        for allowed, below in packages
    )


Specifications = tuple[tuple[PackageIdentifier, bool, bool], ...]  # (package, with everything below, negated)


def parse_package_specifications(
    texts: Sequence[object], base: PackageIdentifier, mapping: RepositoryMapping, what: str
) -> tuple[bool, Specifications]:
    """(public, specifications) of `packages` of a package_group() or of a .bzl file's visibility().

    "public" and "private" stand for everything and nothing.  Raises EvalError for what is no package specification.
    """
    public = False
    found: list[tuple[PackageIdentifier, bool, bool]] = []
    for text in texts:
        if not isinstance(text, str):
            raise EvalError(f"{what}: expected package specifications as strings, but got {type_name(text)}")
        if text == "public":
            public = True
            continue
        if text == "private":
            continue
        negated = text.startswith("-")
        body = text[1:] if negated else text
        repository, slashes, path = body.partition("//")
        try:
            if not slashes or (repository and not repository.startswith("@")):
                raise EvalError("package specifications start with '//' or '@'")
            if repository.startswith("@@"):
                owner = repository[2:]
            else:
                owner = mapping.canonical(repository[1:]) if repository else base.repository
            below = path == "..." or path.endswith("/...")
            path = path[:-3].rstrip("/") if below else path
            check_package_path(path, text)
        except (LabelSyntaxError, EvalError) as problem:
            raise EvalError(f"{what}: invalid package specification '{text}': {problem.diagnostic.message}") from None
        found.append((PackageIdentifier(owner, path), below, negated))
    return public, tuple(found)


def specification_matches(public: bool, specifications: Specifications, package: PackageIdentifier) -> bool:
    """Whether a package_group()'s own list contains `package`: a negated entry wins over any other."""
    if any(negated and matches(((allowed, below),), package) for allowed, below, negated in specifications):
        return False
    return public or matches([(allowed, below) for allowed, below, negated in specifications if not negated], package)
