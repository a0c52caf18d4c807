/**
 * Links of messages in which none is likely to sign in. They are kept apart from likely ones: none is opened unless a
 * pattern of the workflow chooses it.
 */
import { Schema } from "effect"

const UncertainLinks = Schema.Struct({ uncertain: Schema.Array(Schema.String) })
export type UncertainLinks = typeof UncertainLinks.Type

/** The number of links that are kept for all messages together, the newest first. */
const maxKept = 30

export const make = (links: ReadonlyArray<string>): UncertainLinks => ({ uncertain: links })

export const is: (value: unknown) => value is UncertainLinks = Schema.is(UncertainLinks)

/** The links of a newer message before those of older ones. */
export const joined = (newer: UncertainLinks, older: UncertainLinks): UncertainLinks =>
  make([...new Set([...newer.uncertain, ...older.uncertain])].slice(0, maxKept))
