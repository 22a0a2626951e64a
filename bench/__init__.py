"""Figures, as ratios inside one run; nothing here is a test."""
