declare const brand: unique symbol

/** A primitive that may not be mixed with another of the same machine type. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
