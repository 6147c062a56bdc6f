// Adapters that need no server: a file log and an embedded decision store.
export {}
