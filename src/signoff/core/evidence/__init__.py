"""Evidence for what is claimed of a build, test or lint run: a captured log, or a runner's own report.

Pure. `verdicts.judge` is the way in. `runner_table` and `builds` are the tables of the tools it can read.
"""
