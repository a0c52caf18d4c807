/**
 * What a command prints: answers on standard output, as text or as JSON; progress on standard error, where a person
 * watches.
 */
import { Console, Effect, Stdio } from "effect"

export interface OutputSettings {
  readonly json: boolean
}

/** Prints an answer: as one JSON value if asked, and else as text. */
export const answer = ({ json }: OutputSettings, value: unknown, text: () => string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const written = json ? JSON.stringify(value, null, 2) : text()
    return written === "" ? Effect.void : Console.log(written)
  })

/** Prints the progress of a long command to a terminal; nothing to files and pipes, or with `--json`. */
export const progress = Effect.fnUntraced(function* ({ json }: OutputSettings, text: string) {
  const isWatched = yield* Effect.flatMap(Stdio.Stdio, ({ stderrIsTerminal }) => stderrIsTerminal)
  if (isWatched && !json) yield* Console.error(text)
})
