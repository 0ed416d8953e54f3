"""Whole data sets: splits encoded by one tokenizer, checked, and written with a manifest."""
