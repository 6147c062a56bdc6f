// The library that users import: reads configuration and wires adapters to loops.
export {}
