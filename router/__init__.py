"""Decides which route answers a question, calls it, and assembles a cited `Answer`."""
