"""The one reader of shell: words, commands, wrapper programs, and the programs that a line would start. Pure.

`reader` reads text as a POSIX shell or bash would, without running one. `wrappers` is the table of programs
that start another. `invocations` follows both. Light to import, because `signoff guard` runs before every
command of an agent: no typing, no msgspec, no re.
"""
