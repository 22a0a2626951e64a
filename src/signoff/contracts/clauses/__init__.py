"""The clauses of a contract and what each check kind means. Pure."""
