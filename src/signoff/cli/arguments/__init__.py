"""The arguments and the help of every command, one module each; the actions lie beside this package.

A module's docstring is the text of `--help` and ends in examples. `configure(parser)` declares the arguments.
Nothing here loads a record: help answers at once. So fixed words are written out where an enum has them too,
and a test compares the two.
"""
