"""One reader of shell command lines and one table of wrapper programs. Pure."""
