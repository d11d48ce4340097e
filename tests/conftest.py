"""Every test runs offline: code that would download a model fails fast instead of waiting for a network."""

from __future__ import annotations

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
for name in ("CHAT_MODEL", "SMALL_MODEL", "JUDGE_MODEL", "LANGSMITH_TRACING", "LANGSMITH_API_KEY"):
    os.environ.pop(name, None)
