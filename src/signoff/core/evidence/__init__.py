"""Does a captured log, or a runner's own report, bear out what is claimed of a build, test or lint run?

Pure. `judge` of `verdicts` is the way in; each family of runners has a module that knows its output.
"""
