/**
 * Evaluates the oracle's cases on the runtime that runs this file, and prints one line that depends on every answer, so
 * that runtimes and host time zones can be compared.
 *
 * It uses nothing but what Node and Deno share.
 */
import { readFileSync } from "node:fs"
import process from "node:process"
import { Result } from "effect"
import * as RunWindow from "../../../core/window/RunWindow.ts"

interface Case {
  readonly id: string
  readonly kind: string
  readonly window: unknown
  readonly at: string
  readonly expect: {
    readonly open?: boolean
    readonly nextOpenAt?: string | null
    readonly valid?: boolean
    readonly error_paths?: ReadonlyArray<string>
  }
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

const answer = (one: Case): unknown => {
  const checked = RunWindow.validate(one.window)
  if (Result.isFailure(checked)) return { errors: [...new Set(checked.failure.issues.map(({ path }) => path))].sort() }
  if (one.kind === "validate") return { errors: [] }
  const schedule = RunWindow.compile(checked.success.window)
  const { nextOpenAt, open } = RunWindow.state(schedule, Date.parse(one.at))
  return { open, nextOpenAt: iso(nextOpenAt), sentence: RunWindow.explain(schedule, Date.parse(one.at)).sentence }
}

const isRight = (one: Case, answered: unknown): boolean => {
  const { errors, nextOpenAt, open } = answered as {
    errors?: Array<string>
    open?: boolean
    nextOpenAt?: string | null
  }
  return one.kind === "validate"
    ? JSON.stringify(errors) === JSON.stringify([...(one.expect.error_paths ?? [])].sort())
    : open === one.expect.open && nextOpenAt === one.expect.nextOpenAt
}

const cases = readFileSync(new URL("./data/cases.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case)

let hash = 0
let wrong = 0
for (const one of cases) {
  const answered = answer(one)
  if (!isRight(one, answered)) wrong++
  for (const character of JSON.stringify(answered)) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0
}
process.stdout.write(`${cases.length} cases, ${wrong} wrong, digest ${hash}\n`)
