"""The offline writer: questions to SQL with no language model and no network."""

from sql_engine.offline.writer import DEFAULT_MIN_CONFIDENCE, OfflineWriter

__all__ = ["DEFAULT_MIN_CONFIDENCE", "OfflineWriter"]
