"""The intake gate: check a ticket or prompt before any work starts. Pure.

`envelopes` parses what was handed in, `judging` decides: is it a task, is it understood, is it safe, and
which steps do the work? Listed words decide (`vocabulary`): `words` splits a text, `grammar` tells an order
from a description. Light to import, since every cycle of a hosted run loads it.
"""
