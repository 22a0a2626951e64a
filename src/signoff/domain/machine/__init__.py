"""Records about processes, sandboxes, trees and agent activity. Pure."""
