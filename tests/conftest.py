"""Property tests draw the same examples in every run, so that a run tells of a change alone.

New ones are drawn by `pytest --hypothesis-profile=search`.
"""

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile("same")
