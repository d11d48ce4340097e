"""What of a page is its text, and what only frames it or is hidden from its readers."""

from __future__ import annotations

import re

from lxml import etree

from knowledge.loading.blocks import flat

_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)

_DROPPED = frozenset(
    {"script", "style", "noscript", "template", "nav", "iframe", "svg", "canvas", "object", "embed", "head", "button"}
    | {"input", "select", "textarea", "audio", "video", "map", "dialog"}
)
_DROPPED_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "dialog", "alertdialog"}
)
#: Whole class names and ids of what frames a page.
_FRAME = frozenset(
    {
        "nav",
        "navbar",
        "navigation",
        "menu",
        "sidebar",
        "breadcrumb",
        "breadcrumbs",
        "pagination",
        "pager",
        "skip-link",
        "skip-nav",
    }
    | {
        "cookie-banner",
        "cookie-notice",
        "cookie-consent",
        "social-share",
        "share-buttons",
        "site-header",
        "site-footer",
        "toc",
    }
)


def main_of(root: etree._Element) -> etree._Element:
    """The element that holds the main text: ``main``, else the only ``article``, else the body."""
    for found in ([*root.iter("main"), *root.xpath("//*[@role='main']")], list(root.iter("article"))):
        held = [one for one in found if flat(words_of(one))]
        if len(held) == 1:
            return held[0]
    body = root.find("body")
    return root if body is None else body


def words_of(element: etree._Element) -> str:
    """All text below an element, as it stands."""
    return "".join(element.itertext())


def is_dropped(element: etree._Element, *, framed: bool) -> bool:
    """Whether no reader would take the element for the page's text. ``framed``: no ``main`` or ``article`` is around it."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _DROPPED:
        return True
    get = element.get
    if get("hidden") is not None or get("aria-hidden") == "true" or _HIDDEN_STYLE.search(get("style") or ""):
        return True
    if get("role") in _DROPPED_ROLES:
        return True
    if (framed and tag in ("footer", "aside")) or (framed and tag == "header" and element.find(".//h1") is None):
        return True
    names = {*(get("class") or "").lower().split(), (get("id") or "").lower()}
    return bool(names & _FRAME) and tag not in ("body", "html", "main", "article") and element.find(".//h1") is None
