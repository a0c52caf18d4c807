/**
 * A worker whose runs follow their input, for tests of the reports of runs without a browser.
 */
import { Deferred, Effect, Layer, type Schema } from "effect"
import { Executor } from "../../core/run/Executor.ts"
import * as Worker from "../../core/run/Worker.ts"

/** The input of a run: the steps that it reports, and the gate that it waits for before its end. */
export interface Script {
  readonly steps?: ReadonlyArray<string>
  /** The run ends when the gate of this name opens. */
  readonly gate?: string
}

const gates = new Map<string, Deferred.Deferred<void>>()

const gate = (name: string) => {
  const known = gates.get(name) ?? Deferred.makeUnsafe<void>()
  gates.set(name, known)
  return known
}

/** Opens a gate. */
export const openGate = (name: string) => Effect.asVoid(Deferred.succeed(gate(name), undefined))

const executor = Layer.succeed(
  Executor,
  Executor.of({
    execute: Effect.fnUntraced(function* ({ run }, reporter) {
      const { gate: name, steps = [] } = run.input as Schema.JsonObject & Script
      const ids = { runId: run.id, workflowId: run.workflowId }
      for (const step of steps) {
        yield* reporter.event({
          event: "execution.step",
          ...ids,
          step,
          next: null
        })
      }
      if (name !== undefined) yield* Deferred.await(gate(name))
      return { _tag: "Success", data: { done: true } }
    })
  })
)

/** Works until the layer is released. Its runs then have `graceMillis` to end. */
export const layerWith = (graceMillis: number) =>
  Layer.effectDiscard(
    Effect.forkScoped(Worker.run({ name: "scripted", capacity: 50, leaseMillis: 30_000, graceMillis }))
  ).pipe(Layer.provide(executor))

export const layer = layerWith(0)
