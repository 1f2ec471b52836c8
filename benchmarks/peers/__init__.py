"""Peers side by side: each in an environment of its own, asked the same things in the same run."""
