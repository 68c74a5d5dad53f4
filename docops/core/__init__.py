"""Types and pure functions that every other package builds on; imports nothing else of docops."""
