"""Use cases over any run, whichever flow it follows."""
