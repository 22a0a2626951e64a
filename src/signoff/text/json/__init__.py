"""Reading and writing JSON: typed decoding, violations with pointers, canonical form. Pure."""
