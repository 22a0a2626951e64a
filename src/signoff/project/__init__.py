"""The project at hand: settings, detection, readiness."""
