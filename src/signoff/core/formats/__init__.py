"""File shapes that other tools read and write, to our records and back without loss. Pure."""
