"""Bills of materials: SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/) and CycloneDX 1.5 (https://cyclonedx.org/), as JSON.

Both are deterministic: the time comes from SOURCE_DATE_EPOCH, identifiers from content.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from bazel2ninja import __version__
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.binaries import BinaryTerms
from bazel2ninja.licensing.closure import CONTENT
from bazel2ninja.licensing.expressions import keys
from bazel2ninja.licensing.matching import is_exception

_TOOL = f"bazel2ninja-{__version__}"


def spdx(audit: Audit, name: str, epoch: int, binaries: Sequence[BinaryTerms] = ()) -> str:
    """An SPDX 2.3 document: one package with all its files, and the binaries with what they were made from."""
    files = []
    relationships: list[dict[str, str]] = [_relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package")]
    identifiers: dict[str, str] = {}
    digests = []
    for path, conclusion in audit.concluded.files.items():
        scan = audit.tree.scans[path]
        identifier = "SPDXRef-File-" + hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:20]
        identifiers[path] = identifier
        if not scan.sha1:
            continue
        digests.append(scan.sha1)
        own = audit.concluded.own.get(path)
        files.append(
            {
                "SPDXID": identifier,
                "fileName": "./" + _text(path),
                "checksums": [
                    {"algorithm": "SHA1", "checksumValue": scan.sha1},
                    {"algorithm": "SHA256", "checksumValue": scan.sha256},
                ],
                "fileTypes": ["TEXT" if scan.kind == "text" else "BINARY"],
                "licenseConcluded": conclusion.expression,
                "licenseInfoInFiles": _stated(own.expression) if own else ["NONE"],
                "copyrightText": "\n".join(map(_text, scan.copyrights)) or "NONE",
            }
        )
        relationships.append(_relation("SPDXRef-Package", "CONTAINS", identifier))
    verification = hashlib.sha1("".join(sorted(digests)).encode(), usedforsecurity=False).hexdigest()
    packages: list[dict[str, Any]] = [
        {
            "SPDXID": "SPDXRef-Package",
            "name": name,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": True,
            "packageVerificationCode": {"packageVerificationCodeValue": verification},
            "licenseConcluded": audit.concluded.main,
            "licenseDeclared": audit.concluded.main,
            "copyrightText": "NOASSERTION",
        }
    ]
    for number, binary in enumerate(binaries):
        identifier = f"SPDXRef-Binary-{number}"
        packages.append(
            {
                "SPDXID": identifier,
                "name": binary.closure.output,
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": _conjunction(binary.terms),
                "licenseDeclared": "NOASSERTION",
                "copyrightText": "NOASSERTION",
            }
        )
        relationships.append(_relation("SPDXRef-DOCUMENT", "DESCRIBES", identifier))
        for path, member in sorted(binary.closure.members.items()):
            if member.role == CONTENT and path in identifiers:
                relationships.append(_relation(identifier, "GENERATED_FROM", identifiers[path]))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{quote(name)}-{verification}",
        "creationInfo": {"created": _time(epoch), "creators": [f"Tool: {_TOOL}"]},
        "packages": packages,
        "files": files,
        "relationships": relationships,
        "hasExtractedLicensingInfos": _extracted(audit),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _stated(expression: str) -> list[str]:
    """The licences of an expression; an exception alone is none."""
    return sorted(key for key in keys(expression) if not is_exception(key)) or ["NOASSERTION"]


def _relation(one: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def _conjunction(expressions: Iterable[str]) -> str:
    parts = sorted(f"({e})" if " OR " in e or " AND " in e else e for e in expressions if e != "NOASSERTION")
    return " AND ".join(parts) or "NOASSERTION"


def _extracted(audit: Audit) -> list[dict[str, str]]:
    """The texts of the terms that have no SPDX identifier, from the first file that states them."""
    wanted = {
        key for c in audit.concluded.files.values() for key in keys(c.expression) if key.startswith("LicenseRef-")
    }
    found: dict[str, str] = {}
    for scan in audit.tree.scans.values():
        for notice in scan.notices:
            classification = audit.known.get(notice.digest + ("w" if scan.whole else ""))
            for key in keys(classification.expression) if classification and classification.expression else ():
                if key in wanted:
                    found.setdefault(key, notice.excerpt)
    return [{"licenseId": key, "extractedText": _text(found.get(key, "not stated"))} for key in sorted(wanted)]


def cyclonedx(audit: Audit, name: str, epoch: int, binaries: Sequence[BinaryTerms] = ()) -> str:
    """A CycloneDX 1.5 document: each file a component, each binary a component that depends on its content."""
    components: list[dict[str, Any]] = []
    for path, conclusion in audit.concluded.files.items():
        scan = audit.tree.scans[path]
        if not scan.sha256:
            continue
        component: dict[str, Any] = {
            "type": "file",
            "bom-ref": "file:" + _text(path),
            "name": _text(path),
            "hashes": [{"alg": "SHA-256", "content": scan.sha256}],
            "licenses": [{"expression": conclusion.expression}],
        }
        if conclusion.expression == "NOASSERTION":
            del component["licenses"]
        if scan.copyrights:
            component["copyright"] = "\n".join(map(_text, scan.copyrights))
        components.append(component)
    dependencies = []
    known = {component["bom-ref"] for component in components}
    for binary in binaries:
        reference = "binary:" + binary.closure.output
        components.append({"type": "library", "bom-ref": reference, "name": binary.closure.output})
        content = ["file:" + path for path in binary.closure.content if "file:" + path in known]
        dependencies.append({"ref": reference, "dependsOn": content})
    state = hashlib.sha256(
        "".join(c.get("hashes", [{"content": ""}])[0]["content"] for c in components).encode()
    ).hexdigest()
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{state[:8]}-{state[8:12]}-5{state[13:16]}-8{state[17:20]}-{state[20:32]}",
        "version": 1,
        "metadata": {
            "timestamp": _time(epoch),
            "tools": {"components": [{"type": "application", "name": "bazel2ninja", "version": __version__}]},
            "component": {"type": "application", "bom-ref": "source:" + name, "name": name},
        },
        "components": components,
        "dependencies": dependencies,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _time(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(text: str) -> str:
    """Text that any JSON reader takes: no lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()
