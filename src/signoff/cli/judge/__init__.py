"""Commands that judge a change or a file, without an agent."""
