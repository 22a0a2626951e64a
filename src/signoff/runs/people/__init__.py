"""What people say to a run: answers, cap resets, notifications."""
