/**
 * Finds texts that cannot be stored: those with a NUL character, which PostgreSQL refuses, and those with a lone surrogate,
 * which has no form in UTF-8 and would be changed on the way to the database.
 */
import type { Problem } from "../../../../core/workflow/Workflow.ts"

/** How many problems are reported of one request. */
const most = 100

/** A body without either escape has no such text: as bytes, neither character is valid JSON in UTF-8. */
const suspicious = /\\u(0000|[dD][89a-fA-F])/

/** Every text of a JSON body that cannot be stored, at its path. A body that is not JSON has none. */
export const problemsOf = (body: string): ReadonlyArray<Problem> => {
  if (!suspicious.test(body)) return []
  const problems: Array<Problem> = []
  const path: Array<string> = []
  const report = (message: string) => {
    if (problems.length < most) problems.push({ path: path.join("."), message })
  }
  const look = (value: unknown): void => {
    if (typeof value === "string") {
      const wrong = complaint(value)
      if (wrong !== null) report(wrong)
    } else if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        path.push(String(at))
        look(value[at])
        path.pop()
      }
    } else if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) {
        const wrong = complaint(name)
        path.push(wrong === null ? name : shown(name))
        if (wrong !== null) report(`The name of this field: ${wrong}`)
        // Any object is a record of unknown values.
        look((value as Readonly<Record<string, unknown>>)[name])
        path.pop()
      }
    }
  }
  try {
    look(JSON.parse(body))
  } catch {
    // The parser of the endpoint says what is wrong with it.
    return []
  }
  return problems
}

/** Parameters of an address that cannot be stored, at their names. Escapes that are no UTF-8 stay as they were sent. */
export const problemsOfAddress = (pattern: string, path: string, query: string): ReadonlyArray<Problem> => {
  if (!path.includes("%00") && !query.includes("%00")) return []
  const parts = path.split("/")
  const inPath = pattern
    .split("/")
    .flatMap((part, at) => (part.startsWith(":") && parts[at]?.includes("%00") ? [part.slice(1)] : []))
  const inQuery = query
    .split("&")
    .flatMap((part) => (part.includes("%00") ? [shown(nameOf(part.split("=", 1)[0] ?? ""))] : []))
  return [...inPath, ...inQuery].slice(0, most).map((path) => ({ path, message: withNul }))
}

const nameOf = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

const withNul = "Expected text without the character U+0000"

const loneSurrogate = /\p{Surrogate}/u

const complaint = (text: string): string | null => {
  if (text.includes("\0")) return withNul
  if (loneSurrogate.test(text)) return "Expected well-formed Unicode text, got a lone surrogate"
  return null
}

/** A name as a message may show it. */
const shown = (name: string): string =>
  name
    .slice(0, 80)
    .replaceAll("\0", "\\u0000")
    .replace(/\p{Surrogate}/gu, "\ufffd")
