/** JSON values as TypeScript literals, in a stable format of lines of at most 100 characters. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"

/** Maximum number of characters of a line that could be broken. */
export const width = 100

/** A text in double quotes. */
export const quoted = (text: string): string => JSON.stringify(text)

/** The name of a member. In a literal, `__proto__` alone would set the prototype. */
export const keyOf = (name: string): string =>
  name === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)

const onOneLine = (value: Schema.Json): string => {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`
  if (!Json.isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${keyOf(name)}: ${onOneLine(member)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/**
 * A value whose first line begins at the column `at` and whose other lines are indented by `indent`. It is broken where
 * one line is too short for it.
 */
export const literal = (value: Schema.Json, indent: string, at: number): string => {
  const line = onOneLine(value)
  if (at + line.length <= width || typeof value !== "object" || value === null) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const parts = value.map((one) => `${inner}${literal(one, inner, inner.length + 1)}`)
    return parts.length === 0 ? "[]" : `[\n${parts.join(",\n")}\n${indent}]`
  }
  const parts = Object.entries(Json.objectOf(value)).map(([name, member]) => {
    const key = keyOf(name)
    return `${inner}${key}: ${literal(member, inner, inner.length + key.length + 3)}`
  })
  return parts.length === 0 ? "{}" : `{\n${parts.join(",\n")}\n${indent}}`
}
