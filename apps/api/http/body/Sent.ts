/**
 * Values of a request that the domain checks as a whole: after the caller was found to be allowed to ask, and with every
 * problem reported at its path.
 *
 * A form says once what such a value is, for the description of the interface and for the types of its clients.
 */
import { Schema } from "effect"
import { json } from "../../../../core/workspace/request/ParsedJson.ts"

declare const unchecked: unique symbol

/** JSON that was received. Nothing else is known of it, and nothing can be read from it before it is checked. */
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
