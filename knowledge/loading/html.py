"""HTML to Markdown: the main text with its headings, lists and tables; scripts, navigation and hidden parts gone."""

from __future__ import annotations

import re

from lxml import etree

from knowledge.loading.blocks import LINE_BREAK, Blocks, flat
from knowledge.loading.decoding import decode
from knowledge.loading.html_frame import is_dropped, is_note_reference, main_of, words_of, words_seen
from knowledge.loading.html_table import data_rows, names_columns
from knowledge.loading.parsed import Parsed, UnreadableError, clean
from knowledge.loading.raised import marks_of

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_BLOCKS = frozenset(
    {
        "p",
        "div",
        "section",
        "article",
        "main",
        "body",
        "html",
        "header",
        "footer",
        "aside",
        "address",
        "blockquote",
        "figure",
    }
    | {
        "figcaption",
        "form",
        "fieldset",
        "legend",
        "details",
        "summary",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "hr",
        "center",
    }
    | {
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "td",
        "th",
        "caption",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "pre",
        "label",
        "option",
    }
)
_HEADING = re.compile(r"h([1-6])$")
#: A term of a definition list up to this length leads its definition; a longer one, or a question, is a paragraph.
_LONGEST_TERM = 80


def read_html(data: bytes) -> Parsed:
    """The page's main text. The title is its first ``h1``, else its ``title``."""
    text = clean(_decode(data)).lstrip("\ufeff")
    parser = etree.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    try:
        parser.feed(_XML_DECLARATION.sub("", text, count=1))
        root = parser.close()
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise UnreadableError(f"is not HTML that can be parsed: {error}") from None
    if root is None:
        raise UnreadableError("holds no text")
    writer = _Writer(main := main_of(root))
    writer.write()
    body = writer.blocks.text
    heading = next((flat(words_seen(one)) for one in main.iter("h1") if flat(words_seen(one))), None)
    title = next((flat(words_of(one)) for one in root.iter("title") if flat(words_of(one))), None)
    return Parsed(body, heading or title)


def _decode(data: bytes) -> str:
    """By the page's own ``charset``, unless a byte order mark or valid UTF-8 says otherwise."""
    declared = _META_CHARSET.search(data, 0, 8192)
    if declared and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) and b"\x00" not in data[:8192]:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            try:
                return data.decode(declared[1].decode("ascii"))
            except (LookupError, UnicodeDecodeError):
                return decode(data)
    return decode(data)


class _Writer:
    """Walks the tree once, without recursion, so that no depth of nesting is too deep."""

    def __init__(self, root: etree._Element) -> None:
        self.root = root
        self.blocks = Blocks()
        self.inline: list[str] = []
        self.lists: list[list[int | None]] = []  # per open list its counter; None in an unordered one
        self.marker: str | None = None  # of the item whose text comes next
        self.terms: list[str] = []  # of a definition list, whose definition comes next
        self.raised: list[str] = []  # what closes each raised text that is open
        self.pre = 0
        self.link_at = 0  # where in ``inline`` the open link's words begin
        self.around = 0 if root.tag in ("body", "html") else 1  # main and article elements open

    def write(self) -> None:
        """Write the whole tree to ``blocks``."""
        walk = etree.iterwalk(self.root, events=("start", "end"))
        skipping: etree._Element | None = None
        for event, element in walk:
            if event == "start":
                if element is not self.root and is_dropped(element, framed=not self.around):
                    skipping = element
                    walk.skip_subtree()
                elif element.tag == "table" and (rows := data_rows(element, self._drops)) is not None:
                    self._flush()
                    self._terms_alone()
                    self._caption(element)
                    self.blocks.table(rows, header=names_columns(element, self._drops))
                    skipping = element
                    walk.skip_subtree()
                else:
                    self._open(element)
                    self.inline.append(self._blanks(element.text))
                continue
            if element is skipping:
                skipping = None
            else:
                self._close(element)
            if element is not self.root:
                self.inline.append(self._blanks(element.tail))
        self._flush()
        self._terms_alone()

    def _drops(self, element: etree._Element) -> bool:
        return is_dropped(element, framed=False)

    def _blanks(self, text: str | None) -> str:
        return (text or "").replace("\n", LINE_BREAK) if self.pre else text or ""

    def _caption(self, table: etree._Element) -> None:
        caption = table.find("caption")
        if caption is not None:
            self.blocks.paragraph(words_of(caption))

    def _open(self, element: etree._Element) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._flush()
        if tag in ("main", "article"):
            self.around += 1
        elif tag in ("ul", "ol"):
            self.lists.append([_start(element) if tag == "ol" else None])
        elif tag == "li":
            self.marker = self._next_marker()
        elif tag == "pre":
            self.pre += 1
        elif tag == "br":
            self.inline.append(LINE_BREAK)
        elif tag == "a":
            self.link_at = len(self.inline)
        elif tag == "sup":
            opens, closes = _raised(element, self.inline)
            self.inline.append(opens)
            self.raised.append(closes)

    def _close(self, element: etree._Element) -> None:
        tag = element.tag
        heading = _HEADING.match(tag)
        if heading:
            words = "".join(self.inline).replace(LINE_BREAK, " ")
            self.inline.clear()
            self._terms_alone()
            self.blocks.heading(int(heading[1]), words)
        elif tag == "dt":
            self._term()
        elif tag == "summary" or (tag == "p" and _is_strong(element)):
            self._question()
        elif tag == "dl":
            self._flush()
            self._terms_alone()
        elif tag == "pre":
            self.pre -= 1
            self.blocks.code("".join(self.inline))
            self.inline.clear()
        elif tag in _BLOCKS:
            self._flush()
        if tag in ("main", "article"):
            self.around -= 1
        elif tag in ("ul", "ol") and self.lists:
            self.lists.pop()
        elif tag == "li":
            self.marker = None
        elif tag == "a":
            self._link(element)
        elif tag == "sup" and self.raised:
            self.inline.append(self.raised.pop())

    def _link(self, element: etree._Element) -> None:
        """A link to another document here stays a link, so that what it points to can be found; others are their words.

        The number of a footnote is put in brackets: it is no part of the sentence.
        """
        target = (element.get("href") or "").strip()
        words = words_of(element)
        if not self.raised and is_note_reference(element):
            before = "".join(self.inline[: self.link_at])
            self.inline[self.link_at :] = [f"[{words.strip()}]"] if before.strip() else [words]
            return
        if not flat(words) or not target or re.match(r"[a-z][a-z0-9+.-]*:|//|#|/", target, re.IGNORECASE):
            return
        said = "".join(self.inline[self.link_at :])
        if said == words and not re.search(r"[\s()<>]", target):
            self.inline[self.link_at :] = ["[", flat(words), f"]({target})"]

    def _next_marker(self) -> str:
        if not self.lists or self.lists[-1][0] is None:
            return "-"
        number = self.lists[-1][0]
        self.lists[-1][0] = number + 1
        return f"{number}."

    def _term(self) -> None:
        """Keep a term for its definition: "F04: Container full." says what "F04" and "Container full." apart do not."""
        words = flat("".join(self.inline).replace(LINE_BREAK, " "))
        if not words or len(words) > _LONGEST_TERM or words.endswith("?"):
            self._flush()
            return
        self.inline.clear()
        self.terms.append(words.rstrip(": "))

    def _question(self) -> None:
        """What heads an answer by its place or its type; what does not ask is a paragraph."""
        words = "".join(self.inline).strip()
        if not words.endswith("?") or LINE_BREAK in words or self.marker or self.pre:
            self._flush()
            return
        self.inline.clear()
        self._terms_alone()
        self.blocks.question(words)

    def _terms_alone(self) -> None:
        for term in self.terms:
            self.blocks.paragraph(term)
        self.terms.clear()

    def _flush(self) -> None:
        text = "".join(self.inline)
        self.inline.clear()
        if not text.strip(f" \t\r\n{LINE_BREAK}"):
            return
        if self.terms and not self.pre and not self.marker:
            text = f"{', '.join(self.terms)}: {text}"
            self.terms.clear()
        self._terms_alone()
        if self.pre:
            self.blocks.code(text)
        elif self.marker:
            self.blocks.item(text, self.marker, len(self.lists) - 1)
            self.marker = None
        else:
            self.blocks.paragraph(text)


def _start(element: etree._Element) -> int:
    start = element.get("start") or "1"
    return int(start) if re.fullmatch(r"\d{1,6}", start) else 1


def _is_strong(element: etree._Element) -> bool:
    """Whether all of a paragraph is in bold type."""
    return (
        len(element) == 1
        and element[0].tag in ("b", "strong")
        and not flat(f"{element.text or ''}{element[0].tail or ''}")
    )


def _is_footnote(element: etree._Element) -> bool:
    return any((link.get("href") or "").startswith("#") for link in element.iter("a"))


def _raised(element: etree._Element, before: list[str]) -> tuple[str, str]:
    """What stands around raised text, lest it run into the text before it."""
    return ("[", "]") if _is_footnote(element) else marks_of(words_of(element), "".join(before[-8:]))
