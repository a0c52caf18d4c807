/**
 * The sandbox in threads: no operation holds the event loop for longer than it takes to hand over what is asked and to
 * read the answer.
 */
import { Effect, Layer } from "effect"
import * as Bounds from "../../core/workflow/sandbox/Bounds.ts"
import type { Input, Name, Output } from "../../core/workflow/sandbox/Operations.ts"
import { inProcess, Sandbox, TooCostly } from "../../core/workflow/sandbox/Sandbox.ts"
import { type Ending, type Options, ThreadPool } from "./ThreadPool.ts"

/** Operations on whole workflows, which are large; all others are on one expression, schema or pattern. */
const ofWorkflows: ReadonlySet<Name> = new Set([
  "readDraft",
  "contentProblems",
  "warnings",
  "unpack",
  "readComponent",
  "carry",
  "readGraph",
  "examples"
])

export const defaults: Options<Name> = {
  name: "sandbox",
  module: new URL("./Thread.ts", import.meta.url),
  threads: 2,
  deadlineMillis: (name) => (ofWorkflows.has(name) ? 10_000 : 5_000),
  memoryMegabytes: 256,
  waiting: 200,
  idleMillis: 300_000
}

/** The sandbox. Its threads end with the layer. */
export const layer = (options: Options<Name> = defaults) =>
  Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new ThreadPool(options)),
        (one) => Effect.promise(one.close)
      )
      const run = <N extends Name>(owner: string, name: N, asked: Input<N>) =>
        Effect.suspend(() => {
          if (Bounds.isSmall(name, asked)) return inProcess.run(owner, name, asked)
          if (Bounds.weightOf(asked, Bounds.maxParts) === null) return Effect.fail(tooLarge)
          return Effect.callback<Output<N>, TooCostly>((resume) => {
            const end = (ending: Ending): void => resume(outcomeOf<N>(ending))
            const giveUp = pool.submit({ owner, name, asked: JSON.stringify(asked), end })
            return Effect.sync(giveUp)
          })
        })
      return Sandbox.of({ run })
    })
  )

const tooLarge = new TooCostly({ exceeded: "size", limit: `${Bounds.maxParts} values` })

const outcomeOf = <N extends Name>(ending: Ending): Effect.Effect<Output<N>, TooCostly> => {
  switch (ending._tag) {
    case "Answered":
      // The thread wrote the output of the operation that it was asked for.
      return Effect.sync(() => JSON.parse(ending.text) as Output<N>)
    case "Refused":
      return Effect.fail(ending.error)
    case "Broken":
      return Effect.die(ending.error)
  }
}
