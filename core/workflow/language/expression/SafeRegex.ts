/** The patterns of expressions. Only patterns of bounded cost are accepted, for texts up to a maximum length. */
import { Result } from "effect"
import * as SafePattern from "./SafePattern.ts"

/** The reason why a pattern is refused; `null` if it is accepted. */
export const check = ({ flags, source }: RegExp): string | null => {
  const limit = limitOf(source, flags)
  return Result.isSuccess(limit) ? null : limit.failure
}

const known = new Map<string, Result.Result<number, string>>()
const maxKnown = 1_000

/** The maximum length of a text for a pattern. */
const limitOf = (source: string, flags: string): Result.Result<number, string> => {
  const key = `${flags}/${source}`
  const before = known.get(key)
  if (before !== undefined) return before
  const own = SafePattern.textLimit(source)
  // With the flag `i`, a letter in both cases is one character.
  const folded = flags.includes("i") ? SafePattern.textLimit(lowerCased(source)) : own
  const found = Result.isFailure(own)
    ? own
    : Result.isFailure(folded)
      ? folded
      : Result.succeed(Math.min(own.success, folded.success))
  if (known.size >= maxKnown) known.clear()
  known.set(key, found)
  return found
}

const lowerCased = (source: string): string =>
  source.replace(/\\[\s\S]|[^\\]/g, (piece) => (piece.startsWith("\\") ? piece : piece.toLowerCase()))

/** Replaces `RegExp` in the evaluation of expressions. */
export class SafeRegex {
  readonly #expression: RegExp
  readonly #limit: number

  constructor(expression: RegExp) {
    const limit = limitOf(expression.source, expression.flags)
    if (Result.isFailure(limit)) throw new Error(limit.failure)
    this.#expression = new RegExp(expression.source, expression.flags)
    this.#limit = limit.success
  }

  get lastIndex(): number {
    return this.#expression.lastIndex
  }

  set lastIndex(index: number) {
    this.#expression.lastIndex = index
  }

  exec(text: unknown): RegExpExecArray | null {
    if (typeof text !== "string") throw new Error("A pattern can only be matched with a text")
    if (text.length > this.#limit) {
      throw new Error(
        `The pattern /${this.#expression.source}/ takes texts of at most ${this.#limit} characters, got ${text.length}`
      )
    }
    return this.#expression.exec(text)
  }
}
