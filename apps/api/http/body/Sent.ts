/**
 * Values of a request that the domain validates as a whole, after authorization, with every problem at its path.
 *
 * A form describes such a value once, for the OpenAPI description and for the types of clients.
 */
import { Schema } from "effect"
import { json } from "../../../../core/workspace/request/ParsedJson.ts"

declare const unchecked: unique symbol

/** Received JSON, opaque until it is validated. */
export interface Unchecked {
  readonly [unchecked]: true
}

/** A value of a request: a client provides an `A`; the service may have received anything. */
export type Sent<A> = A | Unchecked

const described = (form: Schema.Top) =>
  Schema.makeFilter(() => true, {
    representation: { id: "sluice/apps/api/http/body/Sent", payload: null, schemas: [form.ast] },
    toJsonSchema: ({ schemas: [schema = {}] }) => schema
  })

/**
 * A value of this form. Decoding takes any JSON, and costs nothing however large it is. The cast gives clients the type of the
 * form, and the service a value that it cannot read before it is checked.
 */
export const sent = <S extends Schema.Top>(form: S): Schema.Codec<Sent<S["Encoded"]>> =>
  json.check(described(form)) as unknown as Schema.Codec<Sent<S["Encoded"]>>
