"""What every test relies on."""

from hypothesis import settings

# How long an example takes is the machine's affair: figures belong into bench/, never into an assertion.
settings.register_profile("house", deadline=None)
settings.load_profile("house")
