"""Say whether a shell command or a SQL file would do something that cannot be taken back. Pure.

`command_guard` and `sql_guard` are the ways in; `signoff guard` calls them from hooks, before every command
of an agent. Light to import for that reason: no typing, no msgspec, no re.
"""
