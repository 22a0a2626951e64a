"""Read test files of languages that need a grammar: JavaScript, TypeScript and Go, by tree-sitter."""
