"""One file a format; each turns a source into `Document`s and says what it did with every row."""
