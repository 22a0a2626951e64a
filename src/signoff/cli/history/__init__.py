"""Commands that look back: agents, golden runs, settings, completion."""
