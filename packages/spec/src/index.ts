// Turns the text of a pipeline specification into a checked value, or into all its problems at
// once.
export {}
