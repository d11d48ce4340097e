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

#: What links to the heading that they stand in show, and the classes of those that show something else.
_SIGNS = frozenset({"¶", "#", "🔗", "⚓", "⚓︎"})
_HEADING_LINKS = frozenset({"headerlink", "anchor-link", "header-anchor", "hash-link", "heading-link", "permalink"})
_NOTE_CLASS = re.compile(r"footnote-?ref|foot-?ref|note-?ref|fn-?ref", re.IGNORECASE)
_NOTE_TARGET = re.compile(r"#(?:fn|ftn|_ftn|footnote|cite_note|endnote)[-_:.]?", re.IGNORECASE)


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


def words_seen(element: etree._Element) -> str:
    """``words_of`` without links to a heading."""
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "end":
            parts.append("" if one is element else one.tail or "")
        elif one is not element and _is_heading_link(one):
            walk.skip_subtree()
        else:
            parts.append(one.text or "")
    return "".join(parts)


def _is_heading_link(element: etree._Element) -> bool:
    """Whether it is a link that shows no words, only a sign, such as the ¶ behind a heading."""
    if element.tag != "a" or not (element.get("href") or "").startswith("#"):
        return False
    words = words_of(element).strip()
    if words in _SIGNS:
        return True
    return not any(map(str.isalnum, words)) and not _HEADING_LINKS.isdisjoint((element.get("class") or "").split())


def is_note_reference(element: etree._Element) -> bool:
    """Whether a link is a footnote's number, by its role, its class or its target."""
    target = element.get("href") or ""
    if not target.startswith("#") or re.fullmatch(r"\s*\d{1,3}\s*", words_of(element)) is None:
        return False
    says = element.get("role") == "doc-noteref" or _NOTE_CLASS.search(element.get("class") or "") is not None
    return says or _NOTE_TARGET.match(target) is not None


def is_dropped(element: etree._Element, *, framed: bool) -> bool:
    """Whether no reader would take the element for the page's text. ``framed``: no ``main`` or ``article`` is around it."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _DROPPED:
        return True
    get = element.get
    if tag == "a" and _is_heading_link(element):
        return True
    if get("hidden") is not None or get("aria-hidden") == "true" or _HIDDEN_STYLE.search(get("style") or ""):
        return True
    if get("role") in _DROPPED_ROLES:
        return True
    if (framed and tag in ("footer", "aside")) or (framed and tag == "header" and element.find(".//h1") is None):
        return True
    names = {*(get("class") or "").lower().split(), (get("id") or "").lower()}
    return bool(names & _FRAME) and tag not in ("body", "html", "main", "article") and element.find(".//h1") is None
