"""Measures this engine and its peers on the same files: ``python -m tests.benchmarks``.

records     the table of what is measured: work, corpus, peer, bar
corpora     texts made from what any machine has, or given as NAME=PATH
running     alternating pairs, each run in a process of its own
child       that process: does one job, prints what it took
trainers    how each tool trains, one function a tool
encoders    how each tool encodes, one function a tool
report      medians, ranges and ratios as a table and as JSON
plot        time and memory against corpus size and vocabulary size, as SVG
"""
