"""The deliver flow, from ticket to certificate."""
