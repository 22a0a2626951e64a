"""One file per command: parse, call, render. The only room that prints or exits."""
