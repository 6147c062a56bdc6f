// Reads source and target independently and reports lost, duplicated, phantom and torn rows.
export {}
