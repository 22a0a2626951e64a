"""What a change touches: paths, exported names, dependencies, forbidden lines."""
