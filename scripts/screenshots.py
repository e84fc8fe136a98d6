#!/usr/bin/env python3
"""Pictures of `preon report` for the documentation: python scripts/screenshots.py.

Makes the report of the shipped example and writes docs/images/report-wide.png and report-narrow.png. Needs a build, playwright
(pip install playwright) and Chromium (apt install chromium).
"""
import os
import pathlib
import subprocess
import tempfile

import chromium
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = os.environ.get("PREON_BIN") or ROOT / "build/bin/preon"
EXAMPLE = ROOT / "examples/glyphs"
PICTURES = {"wide": (1200, 1400), "narrow": (400, 1400)}


def main():
    if chromium.PATH is None:
        raise SystemExit(f"screenshots: {chromium.MISSING}")
    folder = ROOT / "docs/images"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as tools:
        page_file = pathlib.Path(scratch) / "report.html"
        subprocess.run([BINARY, "report", "model.onnx", "-o", page_file, "--data", "calib.npz", "--eval-data", "test.npz", "--quiet"], cwd=EXAMPLE,
                       check=True, stdout=subprocess.DEVNULL)
        browser = chromium.launch(tools)
        for name, (width, height) in PICTURES.items():
            page = browser.new_context(viewport={"width": width, "height": height}, offline=True).new_page()
            page.goto(page_file.as_uri())
            page.screenshot(path=folder / f"report-{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
