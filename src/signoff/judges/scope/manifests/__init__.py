"""Compare the dependencies of package manifests and lock files. Pure."""
