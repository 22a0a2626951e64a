"""All contact with the machine. The only importer of `subprocess`."""
