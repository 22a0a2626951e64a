"""Report, progress, handoff and live view of a delivery. Pure."""
