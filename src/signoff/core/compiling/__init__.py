"""Turn what planners write into contracts: their shell commands into checks, their pages into tasks. Pure."""
