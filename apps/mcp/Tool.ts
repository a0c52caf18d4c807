/**
 * What a tool is: its name and description, the ability that its caller needs, its arguments, and what it does with a
 * client of the interface.
 *
 * A tool reaches the service through that client alone, so that roles, the audit and run windows hold as they do for any
 * other request.
 */
import { Effect, Schema } from "effect"
import type { Ability } from "../../core/workspace/Workspace.ts"
import type { Client } from "../api/Client.ts"

/** What a tool works with. */
export interface Place {
  readonly client: Client
  /** The address of the service that a person opens, without a trailing slash. */
  readonly publicUrl: string
  /** The document at the signed address of a snapshot; `null` if there is none. */
  readonly snapshot: (address: string) => Effect.Effect<string | null>
}

/** What a tool answers: a value, and a text if the JSON of that value would read badly. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>>
  readonly text?: string
}

type Fields = Schema.Struct.Fields

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Only `read` changes nothing. */
  readonly needs: Ability
  readonly destructive: boolean
  readonly input: Schema.JsonObject
  /** Reads the arguments and runs the tool. Every problem of the arguments is in the failure. */
  readonly call: (place: Place, args: unknown) => Effect.Effect<Answer, unknown>
}

/** Raised when a tool cannot do what was asked, with what would be accepted. */
export class Unusable extends Schema.TaggedError<Unusable>()("Unusable", {
  message: Schema.String,
  errors: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

export const unusable = (message: string, errors: Unusable["errors"] = []): Unusable =>
  new Unusable({ message, errors })

export const tool = <const F extends Fields>({
  fields,
  run,
  ...facts
}: Pick<Tool, "name" | "title" | "description" | "needs"> & {
  readonly destructive?: boolean
  readonly fields: F
  readonly run: (args: Schema.Struct<F>["Type"], place: Place) => Effect.Effect<Answer, unknown>
}): Tool => {
  const struct = Schema.Struct(fields)
  const { schema } = Schema.toJsonSchemaDocument(struct, { onExcessProperty: "error" })
  // The fields of tools need no service to be read.
  const decode = Schema.decodeUnknownEffect(struct as unknown as Schema.Codec<Schema.Struct<F>["Type"]>, {
    errors: "all",
    onExcessProperty: "error"
  })
  return {
    destructive: false,
    ...facts,
    // A JSON schema is JSON.
    input: schema as Schema.JsonObject,
    call: (place, args) =>
      decode(args ?? {}).pipe(
        Effect.mapError(({ message }) => unusable(`The arguments of ${facts.name} are wrong: ${message}`)),
        Effect.flatMap((read) => run(read, place))
      )
  }
}
