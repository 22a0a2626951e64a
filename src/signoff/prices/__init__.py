"""What models cost, as data: `models.json`."""
