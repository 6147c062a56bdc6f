// The adapter to PostgreSQL: stages, seals and commits.
export {}
