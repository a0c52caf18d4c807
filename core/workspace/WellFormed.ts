/**
 * Names that fit in a URL. UTF-8 cannot encode half of a surrogate pair, so a resource with such a name could never be
 * requested.
 */
import { Schema } from "effect"

export const expected = "Expected text without unpaired surrogates, which an address cannot contain"

/** Returns whether every surrogate of a text has its other half. */
export const is = (text: string): boolean => !/\p{Cs}/u.test(text)

export const check = Schema.makeFilter(is, { message: expected })
