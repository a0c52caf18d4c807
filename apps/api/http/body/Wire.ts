/**
 * Values of core in the form of the interface. A form is declared once, from the fields of core: `Schema.encodeKeys` gives
 * them the names of the interface, and `instant` writes instants as texts. Endpoints describe the encoded side, which is
 * what clients send and receive; handlers encode and decode.
 */
import { Schema, SchemaTransformation } from "effect"

/** An instant in epoch milliseconds, which is a text in ISO 8601 in UTC in the interface. */
export const instant = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform({ decode: Date.parse, encode: (at: number) => new Date(at).toISOString() })
  )
)
