"""Raised numbers do not run into the words and numbers before them."""

from __future__ import annotations

import pytest

from knowledge.loading.docx import read_docx
from knowledge.loading.html import read_html
from knowledge.loading.raised import marks_of
from tests.knowledge.files import docx


@pytest.mark.parametrize(
    ("before", "raised", "read"),
    [
        ("Communal heating", "1", "Communal heating[1]"),
        ("£9.80", "1", "£9.80[1]"),
        ("20:00", "2", "20:00[2]"),
        ("12 %", "3", "12 %[3]"),
        ("(see above)", "12", "(see above)[12]"),
        ("Ward", "a", "Ward[a]"),
        ("", "1", "[1]"),
        ("10", "2", "10^2"),
        ("2", "10", "2^10"),
        ("5 m", "2", "5 m2"),
        ("7 km", "2", "7 km2"),
        ("чл. 40", "а", "чл. 40а"),
        ("1", "st", "1st"),
        ("10", "-3", "10-3"),
        ("Brand", "TM", "BrandTM"),
        ("Fee", "*", "Fee*"),
    ],
)
def test_what_stands_around_raised_text(before: str, raised: str, read: str) -> None:
    opens, closes = marks_of(raised, before)
    assert f"{before}{opens}{raised}{closes}" == read


def test_html_marks_them_in_text_and_in_cells() -> None:
    text = read_html(
        b"<h1>Charges</h1><table><tr><th>Service</th><th>Charge</th></tr><tr><td>Heating<sup>1</sup></td><td>9.80</td></tr>"
        b"<tr><td>Lift</td><td>&pound;3.15<sup>2</sup> a week</td></tr></table><p><sup>1</sup> Not in summer.</p>"
        b"<p>The garden has 20 m<sup>2</sup><sup>2</sup>.</p>"
    ).text
    assert "| Heating[1] | 9.80 |" in text and "| Lift | £3.15[2] a week |" in text
    assert "\n[1] Not in summer.\n" in text and "20 m2" in text


def test_word_marks_them() -> None:
    run = "<w:r><w:rPr>{0}</w:rPr><w:t>{1}</w:t></w:r>"
    raised = '<w:vertAlign w:val="superscript"/>'
    body = f"<w:p>{run.format('', 'Heating')}{run.format(raised, '1')}{run.format('', ' costs 9.80')}</w:p>"
    assert "Heating[1] costs 9.80" in read_docx(docx(body)).text
    lowered = body.replace("superscript", "subscript")
    assert "Heating1 costs" in read_docx(docx(lowered)).text
