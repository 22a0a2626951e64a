"""What every agent backend must do, asked in the same way of all of them on a scripted model.

    with serve() as model:
        for name, case in CASES.items():
            bench = Bench(case, model, folder, label, subject)
            assert problems(case, bench.dispatch(), bench) == ()

A backend joins with a `Subject`: how it is opened for a model at some address. Needs git, and nothing else
beside the backend's own program.
"""
