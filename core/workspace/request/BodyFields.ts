/**
 * Reads a body field by field, so that a wrong field hides nothing that is wrong with the others.
 */
import { Result, Schema } from "effect"
import * as Json from "../Json.ts"

/** A body that was read: its fields that have their form, and the error of the others; `null` where there is none. */
export interface Read<A> {
  readonly fields: Partial<A>
  readonly error: Schema.SchemaError | null
}

/** A reader of the bodies of a form. No field may need a service. */
export const reader = <F extends Schema.Struct.Fields>(form: Schema.Struct<F>) => {
  type A = Schema.Struct<F>["Type"]
  // The fields of a form for bodies need no services, which their general type does not say.
  const whole = Schema.decodeUnknownResult(form as unknown as Schema.Codec<A>, { errors: "all" })
  const each = Object.entries(form.fields).map(
    ([name, field]) => [name, Schema.decodeUnknownResult(field as unknown as Schema.Codec<unknown>)] as const
  )
  return (body: unknown): Read<A> => {
    const decoded = whole(body)
    if (Result.isSuccess(decoded)) return { fields: decoded.success, error: null }
    const sent = Json.isObject(body) ? body : {}
    const read = each.flatMap(([name, decode]) => {
      const one = sent[name] === undefined ? undefined : decode(sent[name])
      return one !== undefined && Result.isSuccess(one) ? [[name, one.success] as const] : []
    })
    // Each is a field of the form.
    return { fields: Object.fromEntries(read) as Partial<A>, error: decoded.failure }
  }
}
