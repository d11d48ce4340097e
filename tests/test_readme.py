"""The README says what the code does: its picture of the graph and its table of settings are made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph

README = Path(__file__).resolve().parents[1] / "README.md"


def picture() -> str:
    graph = build_graph(Resources(Settings())).get_graph()
    return f"```mermaid\n{graph.draw_mermaid().strip()}\n```"


def settings_table() -> str:
    rows = ["| variable | default | meaning |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = alias.choices[0] if alias is not None and hasattr(alias, "choices") else f"POLICYDESK_{name.upper()}"
        default = "" if field.default is None else str(field.default)
        rows.append(f"| `{variable}` | {f'`{default}`' if default else ''} | {field.description or ''} |")
    return "\n".join(rows)


PARTS = {"graph": picture, "settings": settings_table}


def between(text: str, name: str) -> str:
    return text.split(f"<!-- {name} -->\n", 1)[1].split(f"\n<!-- /{name} -->", 1)[0]


def test_the_picture_of_the_graph_is_up_to_date() -> None:
    assert between(README.read_text(encoding="utf-8"), "graph") == picture(), "run python -m tests.test_readme"


def test_the_table_of_settings_is_up_to_date() -> None:
    assert between(README.read_text(encoding="utf-8"), "settings") == settings_table(), (
        "run python -m tests.test_readme"
    )


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def write() -> None:
    """Bring the README's made parts up to date."""
    text = README.read_text(encoding="utf-8")
    for name, made in PARTS.items():
        head, rest = text.split(f"<!-- {name} -->\n", 1)
        tail = rest.split(f"<!-- /{name} -->", 1)[1]
        text = f"{head}<!-- {name} -->\n{made()}\n<!-- /{name} -->{tail}"
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())
