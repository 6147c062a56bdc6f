// In-memory twins of the ports, for tests and conformance suites.
export {}
