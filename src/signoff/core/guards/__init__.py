"""Decide whether a shell command or a SQL file would do something that cannot be undone. Pure.

`command_guard` and `sql_guard` are the ways in. `signoff guard` calls them from hooks, before every command
of an agent, so the package stays light to import: no typing, no msgspec, no re.
"""
