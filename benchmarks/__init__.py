"""Measuring scripts: each reads its data from a path argument and prints what it measured."""
