/** A broken invariant: a defect of ours. The process that sees it stops; nothing catches it. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
}

export function invariant(holds: boolean, text: string): asserts holds {
  if (!holds) throw new InvariantViolation(text)
}

/** Ends an exhaustive switch: reaching it is a type error first and a broken invariant second. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`no case for ${JSON.stringify(value)}`)
}
