/**
 * The progress of re-encrypting the values of a workspace with its present key.
 */
import { Context, Schema } from "effect"
import type { Collection, Kind } from "../../workspace/Collection.ts"

export const Walk = Schema.Struct({
  id: Schema.String,
  /** The version of the key that everything is sealed with. */
  version: Schema.Int,
  /** Where it continues: a target and a position in it. */
  place: Schema.String,
  after: Schema.NullOr(Schema.String),
  startedAt: Schema.Finite,
  /** When everything had been checked; `null` before. */
  endedAt: Schema.NullOr(Schema.Finite),
  /** How many records were checked, and how many values were re-encrypted. */
  checked: Schema.Int,
  resealed: Schema.Int,
  /** Values that no key of the workspace opens, and that stay as they are. */
  unreadable: Schema.Int
})
export type Walk = typeof Walk.Type

export class ResealingWalks extends Context.Service<ResealingWalks, Collection<Walk>>()(
  "sluice/core/vault/keys/ResealingWalks"
) {}

/** A workspace has one walk at a time. */
export const kind: Kind<Walk> = { name: "resealings", schema: Walk, key: () => "walk" }
