"""What a change did to existing tests: deleted, skipped, loosened, starved or no longer collected.

Pure. `judging` is the entry. Readers turn a test file into records (`python_reader` here, tree-sitter
readers in the checks room), `comparing` compares the records of both sides, `config` the files that say
which tests run. `pairing` and `covering` find what became of each assertion, `marking` of each mark,
`moving` of each test. `strength` says which of two assertions says less.

The parts import in one direction: `judging`, then the comparisons, the `python_` modules and the settings
side by side, then `records`.
"""
