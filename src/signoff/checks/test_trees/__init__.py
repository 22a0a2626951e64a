"""Readers of test files for languages that need a grammar: JavaScript, TypeScript and Go, by tree-sitter."""
