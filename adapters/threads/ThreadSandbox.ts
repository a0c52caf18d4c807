/**
 * The sandbox in threads. Inputs and answers are serialized in pieces, so that no operation blocks the event loop for
 * long.
 */
import { Effect, Layer, type Schema } from "effect"
import * as Bounds from "../../core/workflow/sandbox/Bounds.ts"
import type { Input, Name, Output } from "../../core/workflow/sandbox/Operations.ts"
import { Asker, inProcess, Sandbox, TooCostly } from "../../core/workflow/sandbox/Sandbox.ts"
import * as JsonParser from "../json/JsonParser.ts"
import * as JsonPieces from "../json/JsonPieces.ts"
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
  waitingOfAsker: 50,
  idleMillis: 300_000
}

/** Each run waits for one operation at a time, so that the number of runs bounds them. */
const ofRuns = { waiting: 10_000, waitingOfAsker: 10_000 }

/** The sandbox, with as many threads for requests as for runs, schedules and conversations. They end with the layer. */
export const layer = (options: Options<Name> = defaults) =>
  Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const poolOf = (own: Partial<Options<Name>>) =>
        Effect.acquireRelease(
          Effect.sync(() => new ThreadPool({ ...options, ...own })),
          (threadPool) => Effect.promise(threadPool.close)
        )
      const requests = yield* poolOf({})
      const runs = yield* poolOf(ofRuns)
      const run = <N extends Name>(owner: string, name: N, asked: Input<N>) =>
        Effect.suspend(() => {
          if (Bounds.isSmall(name, asked)) return inProcess.run(owner, name, asked)
          const weight = Bounds.weightOf(asked, Bounds.maxParts)
          if (weight === null) return Effect.fail(tooLarge)
          return Effect.flatMap(
            weight <= lightWeight ? Effect.succeed([JSON.stringify(asked)]) : written(asked),
            (text) =>
              Effect.flatMap(Asker, (asker) =>
                Effect.callback<Output<N>, TooCostly>((resume) => {
                  const end = (ending: Ending): void => resume(outcomeOf<N>(ending))
                  const pool = asker === null ? runs : requests
                  const giveUp = pool.submit({ owner, asker: asker ?? "", name, asked: text, end })
                  return Effect.sync(giveUp)
                })
              )
          )
        })
      return Sandbox.of({ run })
    })
  )

/** The maximum weight of a value that is written in one turn of a few milliseconds. */
const lightWeight = 10_000

/** The number of characters that are written or read in one turn. */
const pieceLength = 131_072

/** The JSON of an input, in pieces. Other fibers run between two pieces. */
const written = Effect.fnUntraced(function* (asked: Input<Name>) {
  const pieces: Array<string> = []
  // The inputs of operations are JSON, although not all of their types express it.
  for (const piece of JsonPieces.write(asked as Schema.Json, pieceLength)) {
    if (pieces.length > 0) yield* Effect.yieldNow
    pieces.push(piece)
  }
  return pieces
})

/** The value of an answer. */
const read = (text: string): Effect.Effect<Schema.Json> => {
  const pieces = Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, at) =>
    text.slice(at * pieceLength, (at + 1) * pieceLength)
  )
  return Effect.orDie(JsonParser.parse(pieces))
}

const tooLarge = new TooCostly({ exceeded: "size", limit: `${Bounds.maxParts} values` })

const outcomeOf = <N extends Name>(ending: Ending): Effect.Effect<Output<N>, TooCostly> => {
  switch (ending._tag) {
    case "Answered":
      // The thread returned the output of the requested operation.
      return read(ending.text) as Effect.Effect<Output<N>>
    case "Refused":
      return Effect.fail(ending.error)
    case "Broken":
      return Effect.die(ending.error)
  }
}
