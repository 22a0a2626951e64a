"""Compile Markdown plans into contracts. Pure."""
