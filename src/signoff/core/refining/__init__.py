"""The intake gate: is this want a task, is it understood, is it safe to start, and who carries it? Pure.

`envelopes` reads a want, `judging` judges it. What decides are words: `words` reads a text as words,
`grammar` says what part they play, the tables in `vocabulary` say what they mean. Light to import: it runs in
every cycle of a hosted run.
"""
