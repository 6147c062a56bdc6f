// Decides the life of a checkpoint.
export {}
