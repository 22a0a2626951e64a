"""Judge a claim about a build, test or lint run by its log or report. Pure."""
