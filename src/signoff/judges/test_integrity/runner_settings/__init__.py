"""Compare the files that decide which tests run and how strictly. Pure."""
