/** How the process of a command ends: by its exit code, and by what it writes where. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { sluice } from "../support/processes.ts"

const refusals = [
  { args: ["backup", "--nope", "--json"], code: 2, says: "sluice backup has no flag --nope" },
  { args: ["runs", "show", "none", "--json"], code: 75, says: "it cannot be reached" },
  { args: ["workflow", "validate", "none.json", "--json"], code: 2, says: "Cannot read the file none.json" },
  // A command that serves is restarted by its supervisor, which has no use for our codes.
  { args: ["worker", "--nope", "--json"], code: 1, says: "sluice worker has no flag --nope" },
  { args: ["--wizard", "--json"], code: 2, says: "standard input is no terminal" }
] as const

it.live("a command that fails says so in one line of JSON on standard error, and waits for nobody", () =>
  Effect.gen(function* () {
    const env = { SLUICE_URL: "http://127.0.0.1:9", SLUICE_KEY: "sk_none" }
    for (const { args, code, says } of refusals) {
      const process = yield* sluice(args, env)
      // What it writes may arrive after its end.
      yield* process.said(/\}\n$/)
      assert.strictEqual(yield* process.ended, code, process.output())
      // Both streams are in the output, and the failure is all of it.
      const { error } = JSON.parse(process.output())
      assert.include(error.message, says)
      assert.isNotEmpty(error.fix)
    }
  }).pipe(Effect.scoped)
)
