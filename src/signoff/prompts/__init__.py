"""What agents are told, as files: `common.md` for all of them, one file for each role."""
