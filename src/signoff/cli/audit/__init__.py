"""Commands for quality audits and calibration."""
