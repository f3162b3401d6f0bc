"""The audit's HTML report in a real browser, with the keyboard and twenty thousand files.

Wants chromium and chromedriver (Debian: chromium-driver) and the Python package selenium (Debian: python3-selenium).
"""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bazel2ninja.licensing import audit as audits
from bazel2ninja.licensing import report_html
from bazel2ninja.licensing.cache import Cache

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None  # type: ignore[assignment]

pytestmark = pytest.mark.real_project

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FILES = 20_000
EVIL = "<img src=x onerror=alert(1)>.c"
TERMS = ("MIT", "Apache-2.0", "BSD-3-Clause", "Zlib")
FAST = 1000  # milliseconds for one key of a search, on a busy machine


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if webdriver is None or CHROMIUM is None or DRIVER is None:
        pytest.skip("NOT TESTED: the report in a browser; install chromium, chromium-driver and selenium")
    place = tmp_path_factory.mktemp("report")
    source = place / "src"
    for number in range(FILES - 3):
        path = source / f"d{number % 40}/e{number % 7}/file{number}.c"
        if number < 280:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// SPDX-License-Identifier: {TERMS[number % 4]}\nint x{number};\n")
    (source / EVIL).write_text("// Licensed under <b>odd</b> terms, may not be sold <script>alert(2)</script>\n")
    (source / "lib.so").write_bytes(b"\x7fELF\0\0")
    (source / "lena.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    audit = audits.make(str(source), Cache(None), jobs=2)
    (place / "report.html").write_text(report_html.write(audit, "src", "2024-05-01"))
    return place / "report.html"


@pytest.fixture
def browser(report: Path) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for word in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1200,900",
    ):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        driver.get(report.as_uri())
        yield driver
        assert driver.get_log("browser") == []  # no error, nothing that the policy had to block
    finally:
        driver.quit()


def press(browser: Any, *keys: str) -> None:
    for key in keys:
        webdriver.ActionChains(browser).send_keys(key).perform()


def focus(browser: Any, wanted: str, limit: int = 60) -> Any:
    """Presses Tab until the element with focus is `wanted` (a CSS selector)."""
    for _ in range(limit):
        press(browser, Keys.TAB)
        element = browser.switch_to.active_element
        if browser.execute_script("return arguments[0].matches(arguments[1])", element, wanted):
            return element
    raise AssertionError(f"Tab does not reach {wanted}")


def text(browser: Any, selector: str) -> str:
    return str(browser.find_element(By.CSS_SELECTOR, selector).text)


def rows(browser: Any, table: str) -> int:
    return len(browser.find_elements(By.CSS_SELECTOR, f"#{table} tbody tr"))


def test_the_summary_and_the_charts(browser: Any) -> None:
    assert text(browser, "#summary").startswith(f"{FILES} files, mostly ")
    bars = browser.find_elements(By.CSS_SELECTOR, "#chart .bar")
    assert len(bars) == rows(browser, "chart") >= len(TERMS)
    widths = [bar.size["width"] for bar in bars]
    assert widths == sorted(widths, reverse=True) and widths[0] > 200 > 0 < widths[-1]


def test_searching_with_the_keyboard(browser: Any) -> None:
    focus(browser, "#query")
    press(browser, *"file1999")
    assert text(browser, "#hits") == "8 files"
    assert rows(browser, "list") == 8
    press(browser, Keys.TAB)
    press(browser, "Z")  # the first of the terms that begins so
    press(browser, Keys.TAB)
    assert text(browser, "#hits") == "3 files"
    spent = browser.execute_script(
        "const begun = performance.now(); document.getElementById('query').value = 'e'; search();"
        "return performance.now() - begun"
    )
    assert spent < FAST


def test_more_files_are_shown_on_request(browser: Any) -> None:
    assert rows(browser, "list") == 200
    focus(browser, "#more", limit=200)
    press(browser, Keys.ENTER)
    assert rows(browser, "list") == 400


def test_going_through_directories_with_the_keyboard(browser: Any) -> None:
    assert rows(browser, "tree") == 43
    button = focus(browser, "#tree button")
    assert button.text == "d0/"
    press(browser, Keys.ENTER)
    assert text(browser, "#where") == "/d0/"
    focus(browser, "#tree button")
    press(browser, Keys.ENTER)
    assert text(browser, "#where") == "/d0/e0/"
    assert rows(browser, "tree") > 50
    browser.execute_script("document.querySelector('#where button').focus()")
    press(browser, Keys.ENTER)
    assert rows(browser, "tree") == 43


def test_findings_open_with_the_keyboard(browser: Any) -> None:
    summary = focus(browser, "#found > details > summary")
    assert "non-free-words" in summary.text or "prebuilt" in summary.text or "unclear" in summary.text
    press(browser, Keys.ENTER)
    first = browser.find_element(By.CSS_SELECTOR, "#found > details")
    assert first.get_attribute("open") is not None
    focus(browser, "#found details details summary")
    press(browser, Keys.SPACE)
    assert first.find_elements(By.CSS_SELECTOR, "details[open] li")


def test_hostile_names_stay_text(browser: Any) -> None:
    focus(browser, "#query")
    press(browser, *"onerror")
    assert text(browser, "#list tbody td") == EVIL
    assert browser.find_elements(By.CSS_SELECTOR, "img, td script, pre b, td b") == []


def test_printing_shows_every_finding(browser: Any) -> None:
    pdf = base64.b64decode(browser.print_page())
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    closed = browser.find_elements(By.CSS_SELECTOR, "#found details:not([open])")
    assert browser.find_elements(By.CSS_SELECTOR, "#found details[open] li") and closed == []
