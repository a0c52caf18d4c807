/**
 * Secrets that a user gives to a command: from a variable, from the terminal without echo, or from standard input. They are
 * never arguments, which other users of the machine could see.
 */
import { Config, Effect, Option, Redacted, Stdio, Stream } from "effect"
import { Prompt } from "effect/cli"
import { refused } from "./Ending.ts"

/** The secret of a setting, or a prompted one. Without a terminal, fails and names the variable. */
export const asked = Effect.fnUntraced(function* (
  given: Option.Option<Redacted.Redacted<string>>,
  what: { readonly variable: string; readonly prompt: string; readonly pattern: RegExp; readonly expected: string }
) {
  if (Option.isSome(given)) return given.value
  if (!(yield* isTerminal)) return yield* refused("wrong", `No ${what.prompt} is set (${what.variable})`)
  const secret = yield* hidden(what.prompt)
  if (what.pattern.test(Redacted.value(secret))) return secret
  return yield* refused("wrong", `The ${what.prompt} cannot be used: expected ${what.expected}`)
})

/** Asks a person. Fails without a terminal, because no person could answer. */
const prompted = Effect.fnUntraced(function* <A>(message: string, prompt: Prompt.Prompt<A>) {
  if (!(yield* isTerminal)) {
    return yield* refused("wrong", `Cannot ask for "${message}": standard input is no terminal`)
  }
  return yield* Effect.mapError(Prompt.run(prompt), () => refused("wrong", "No value was given: nothing was changed"))
})

/** Asks for a secret at the terminal. What is typed is not shown. */
export const hidden = (message: string) => prompted(message, Prompt.Hidden({ message }))

/** Asks for a text at the terminal. */
export const shown = (message: string) => prompted(message, Prompt.String({ message }))

/** The value of an environment variable. */
export const fromVariable = (name: string) =>
  Effect.gen(function* () {
    const value = yield* Config.Redacted(name)
    if (Redacted.value(value) !== "") return value
    return yield* refused("wrong", `The variable ${name} is empty`)
  }).pipe(Effect.catchTag("ConfigError", () => Effect.fail(refused("wrong", `The variable ${name} is not set`))))

/** Whether a person can be asked. */
export const isTerminal: Effect.Effect<boolean, never, Stdio.Stdio> = Effect.flatMap(
  Stdio.Stdio,
  ({ stdinIsTerminal }) => stdinIsTerminal
)

/** All of standard input. */
export const input: Effect.Effect<string, never, Stdio.Stdio> = Effect.flatMap(Stdio.Stdio, ({ stdin }) =>
  stdin.pipe(
    Stream.decodeText(),
    Stream.runFold(
      () => "",
      (all, piece) => all + piece
    ),
    Effect.orElseSucceed(() => "")
  )
)
