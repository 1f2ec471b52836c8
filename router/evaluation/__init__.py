"""Measuring answers on a user's own questions: cases, judgement, figures, reports."""
