"""All contact with the machine: processes, git, files, locks, clock, ids. Alone may import `subprocess`."""
