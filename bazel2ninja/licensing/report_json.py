"""The audit as JSON, for other programs; "version" changes when a field changes its meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bazel2ninja.licensing.audit import Audit

if TYPE_CHECKING:
    from bazel2ninja.licensing.binaries import BinaryTerms

VERSION = 1


def table(audit: Audit, binaries: Sequence[BinaryTerms] = ()) -> dict[str, Any]:
    """The same as Python values."""
    return {
        "version": VERSION,
        "main": audit.concluded.main,
        "files": {
            path: {
                "terms": conclusion.expression,
                "basis": conclusion.basis,
                **({"source": conclusion.source} if conclusion.source else {}),
                "kind": audit.tree.scans[path].kind,
                "sha256": audit.tree.scans[path].sha256,
                **({"copyright": list(audit.tree.scans[path].copyrights)} if audit.tree.scans[path].copyrights else {}),
            }
            for path, conclusion in audit.concluded.files.items()
        },
        "findings": [{**asdict(finding), "asks": finding.asks} for finding in audit.findings],
        "answered": [asdict(finding) for finding in audit.answered],
        "differences": [asdict(difference) for difference in audit.differences],
        "binaries": [_binary(binary) for binary in binaries],
    }


def _binary(binary: BinaryTerms) -> Mapping[str, Any]:
    return {
        "output": binary.closure.output,
        "exact": binary.closure.exact,
        "terms": binary.terms,
        "tools": binary.tools,
        "obligations": binary.obligations,
        "conflicts": [list(each) for each in binary.conflicts],
        "static-built-using": binary.static_built_using,
        "system": {path: owner.package for path, owner in binary.system.items()},
        "unaudited": list(binary.unaudited),
        "shared": list(binary.closure.shared),
    }


def write(audit: Audit, binaries: Sequence[BinaryTerms] = ()) -> str:
    """The text; lone surrogates of odd file names are escaped, as JSON allows."""
    return json.dumps(table(audit, binaries), indent=1) + "\n"
