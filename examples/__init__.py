"""Examples that run: each is held to a scripted server by the tests."""
