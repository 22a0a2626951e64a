"""Quality audits and calibration cycles. Pure."""
