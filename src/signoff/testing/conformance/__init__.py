"""The conformance suite of agent backends: the same cases for each, on a scripted model.

    with serve() as model:
        for name, case in CASES.items():
            bench = Bench(case, model, folder, label, subject)
            assert problems(case, bench.dispatch(), bench) == ()

A backend joins with a `Subject`, which opens it for a model at some address. Needs git and the backend's own
program. `serve` is any `Model` that plays the scenarios which the cases name.
"""
