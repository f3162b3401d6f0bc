"""The JUnit report of a test that makes none itself: one case, its log as output."""

from __future__ import annotations

import re

# what XML 1.0 has no way to write: https://www.w3.org/TR/xml/#charsets
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _attribute(text: str) -> str:
    text = _FORBIDDEN.sub("?", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def junit(name: str, passed: bool, detail: str, seconds: float, log: bytes) -> bytes:
    """The report, encoded.  `detail` says why the test did not pass."""
    text = _FORBIDDEN.sub("?", log.decode("utf-8", "replace")).replace("]]>", "]]]]><![CDATA[>")
    failure = "" if passed else f'<error message="{_attribute(detail)}"></error>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<testsuites>\n"
        f'  <testsuite name="{_attribute(name)}" tests="1" failures="0" errors="{int(not passed)}">\n'
        f'    <testcase name="{_attribute(name)}" status="run" duration="{seconds:.0f}" time="{seconds:.3f}">'
        f"{failure}</testcase>\n"
        f"    <system-out><![CDATA[{text}]]></system-out>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    ).encode()
