"""Tables over arrays: one model and one view for all, one file a table."""
