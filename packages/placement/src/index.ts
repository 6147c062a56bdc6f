// Decides which worker owns which task and who is fenced.
export {}
