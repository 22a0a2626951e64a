"""State files of hosted runs in the old format, version 0, for property tests."""

from hypothesis import strategies as st
from json_shapes import ANY_JSON, JSON_TEXT

from signoff.domain.run.surveys import STEPS
from signoff.domain.work.work_state import OUTCOMES, Persona

V0_DOCUMENTS = st.fixed_dictionaries(
    {"ticket": st.dictionaries(JSON_TEXT, ANY_JSON, max_size=3)},
    optional={
        "persona": st.none() | st.sampled_from(list(Persona)),
        "memory": st.lists(ANY_JSON, max_size=3),
        **dict.fromkeys(("plan", "changes", "tests", "verify"), ANY_JSON),
        "outcomes": st.dictionaries(st.sampled_from(STEPS), st.none() | st.sampled_from(OUTCOMES)),
        "questions": st.lists(JSON_TEXT, max_size=3),
        "report": st.none() | JSON_TEXT,
    },
)
