"""The page of `preon report` in a browser: offline, narrow and wide, without console messages, accessible."""
import chromium
import numpy as np
import onnx
import pytest

from test_accuracy_fallback import filter_bank_model

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install playwright axe-playwright-python)")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")


def check_in_a_browser(path):
    with playwright.sync_playwright() as tools:
        browser = chromium.launch(tools)
        for width in (400, 1600):
            for scheme in ("light", "dark"):
                page = browser.new_context(viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme).new_page()
                said = []
                page.on("console", lambda message, said=said: said.append(message.text))
                page.on("pageerror", lambda error, said=said: said.append(str(error)))
                page.goto(path.as_uri())
                assert said == []
                assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing to scroll sideways but tables
                assert [violation["id"] for violation in axe.Axe().run(page).response["violations"]] == []
        browser.close()


@pytest.mark.slow
@pytest.mark.skipif(chromium.PATH is None, reason=chromium.MISSING)
def test_pages_in_a_browser(preon):
    """The report of a model, and the page of a saved result."""
    onnx.save(filter_bank_model(), preon.folder / "model.onnx")
    np.save(preon.folder / "x.npy", np.random.default_rng(4).normal(size=(40, 1, 64, 64)).astype(np.float32))
    assert preon("report", "model.onnx", "-o", "r.html", "--data", "x.npy", timeout=300).returncode == 0
    check_in_a_browser(preon.folder / "r.html")
    done = preon("quantize", "model.onnx", "-o", "q.onnx", "--data", "x.npy", "--always-write", "--json", "--quiet", timeout=300)
    (preon.folder / "result.json").write_text(done.stdout)
    assert preon("report", "result.json", "-o", "s.html").returncode == 0
    check_in_a_browser(preon.folder / "s.html")
