"""Chromium, in which tests and scripts/screenshots.py open pages. Needs playwright (pip) and Chromium (apt)."""
import shutil

#: None where it is not installed.
PATH = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = "Chromium is not installed (apt install chromium)"


def launch(tools):
    """A browser. tools: what playwright.sync_api.sync_playwright() gives."""
    return tools.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
