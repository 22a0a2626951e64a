"""Pure views: report, progress and handoff as text."""
