/**
 * Names that an address can hold. UTF-8 has no way to write one half of a surrogate pair, so nobody could ask for what has
 * such a half in its name.
 */
import { Schema } from "effect"

export const expected = "Expected text without unpaired surrogates, which no address can hold"

/** Tells whether every surrogate of a text has its other half. */
export const is = (text: string): boolean => !/\p{Cs}/u.test(text)

export const check = Schema.makeFilter(is, { message: expected })
