/** A node of an n8n workflow, as its file has it. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { Where } from "./Recording.ts"

export interface Source {
  readonly name: string
  readonly version: number
  readonly parameters: Schema.JsonObject
  /** The names that n8n has for the credentials of the node. */
  readonly credentials: ReadonlyArray<string>
  readonly isOff: boolean
  readonly where: Where
}

/** Where a workflow of n8n begins. */
export const isTrigger = ({ where: { kind } }: Source): boolean =>
  /Trigger$|^(?:start|cron|interval|webhook)$/.test(kind)

export const expressions = "It has an expression that is not translated: add its action with a value"

/** The objects of a list; none for what is no list. */
export const listOf = (value: unknown): ReadonlyArray<Schema.JsonObject> =>
  Array.isArray(value) ? value.map((one: Schema.Json) => Json.objectOf(one)) : []
