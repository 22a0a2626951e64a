"""JSON objects that look a little like contracts, and some that do not."""

from hypothesis import strategies as st

_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(("T1", "T2", "none", "src/a.py", "tests", "1")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("id", "type", "path", "verification", "files_modify", "files", "depends_on", "description")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)
ANY_OBJECT = st.dictionaries(
    st.sampled_from(("version", "tasks", "success_criteria", "non_goals", "seal", "goal", "x")),
    _VALUES,
    max_size=5,
)
