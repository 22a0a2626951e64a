"""Rules of contracts and sprints, each with a code. Pure."""
