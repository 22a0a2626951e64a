"""What every part of a delivery shares: the view of its state and the job that drives it."""
