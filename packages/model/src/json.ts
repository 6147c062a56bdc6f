/** A value that JSON can carry; 64-bit numbers are decimal text in it. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json }
