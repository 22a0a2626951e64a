"""What commands share: words, files, output, progress, violations."""
