"""The window. Nothing outside this package knows Qt."""
