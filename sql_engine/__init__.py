"""Computation: turns a question into a checked read-only query over tables, and runs it."""
