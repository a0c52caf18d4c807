/**
 * Bodies of endpoints that take more than most: such a body was parsed in pieces, as parsing its text at once would keep
 * other requests waiting.
 */
import { Context, Effect, Option, Schema, SchemaIssue, SchemaParser } from "effect"

/** Parses the body of the request in pieces; `null` where the endpoint is to parse its text. */
export type Parsed = Effect.Effect<unknown, unknown> | null

export const Parsed = Context.Reference<Parsed>("sluice/apps/api/http/body/LargeBody/Parsed", {
  defaultValue: () => null
})

/** The text that replaces one that is parsed in pieces. Parsing it takes no time, and it is not decoded. */
export const standIn = "{}"

/** The payload of an endpoint that takes a body of more than 1 MiB. The description of the interface has it as it is. */
export const large = <S extends Schema.Codec<unknown, unknown>>(payload: S) => {
  const decode = SchemaParser.decodeUnknownEffect(payload)
  return payload.pipe(
    Schema.middlewareDecoding((decoding, options) =>
      Effect.flatMap(Parsed, (parsed) =>
        parsed === null
          ? decoding
          : parsed.pipe(
              Effect.mapError(() => new SchemaIssue.InvalidValue({ message: "Expected a valid JSON body" })),
              Effect.flatMap((value) => decode(value, options)),
              Effect.map(Option.some)
            )
      )
    )
  )
}
