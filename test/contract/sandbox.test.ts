import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import * as ThreadSandbox from "../../adapters/threads/ThreadSandbox.ts"
import type { Input, Name, Output } from "../../core/workflow/sandbox/Operations.ts"
import { inProcess, Sandbox, type Shape, TooCostly } from "../../core/workflow/sandbox/Sandbox.ts"
import * as Contract from "../kit/contracts/Contract.ts"
import * as SandboxContract from "../kit/contracts/workflow/SandboxContract.ts"
import { hangMillis } from "../support/limits.ts"

const brokenBy = (promises: ReadonlyArray<Contract.ContractPromise<never>>, sandbox: Shape) =>
  Effect.map(Contract.broken(promises, Effect.provideService(Sandbox, sandbox)), (broken) =>
    broken.map(({ title }) => title)
  )

/** One pool for all promises: an operation that ends takes its thread with it, and others must not notice. */
const threads = (options: Partial<typeof ThreadSandbox.defaults>) =>
  Effect.flatMap(Layer.build(ThreadSandbox.layer({ ...ThreadSandbox.defaults, ...options })), (context) =>
    Effect.provideContext(Sandbox, context)
  )

/** The sandbox of the calling thread that does one thing otherwise. */
const otherwise = (
  fault: <N extends Name>(
    owner: string,
    name: N,
    asked: Input<N>,
    right: Effect.Effect<Output<N>, TooCostly>
  ) => Effect.Effect<Output<N>, TooCostly>
): Shape => ({ run: (owner, name, asked) => fault(owner, name, asked, inProcess.run(owner, name, asked)) })

const titles = {
  answers: "a sandbox answers each operation as it is, with what is found wrong as its answer",
  values: "a sandbox brings values there and back as they are, small and large",
  own: "a sandbox gives each of many operations at once its own answer",
  interrupted: "a sandbox is there for the next operation when one was interrupted",
  ends: "a sandbox ends an operation that takes too much, names the limit, and goes on",
  others: "a sandbox lets the operations of one workspace hold up no other, nor the process",
  large: "a sandbox refuses what is larger than any workflow, and goes on"
}

/** Each fault, and the promises that it breaks of those that hold for the calling thread. */
const faults: Readonly<Record<string, () => readonly [Shape, ReadonlyArray<string>]>> = {
  "takes what an operation finds wrong for its own failure": () => [
    otherwise((_, __, ___, right) =>
      Effect.tap(right, (answer) =>
        typeof answer === "object" && answer !== null && "failure" in answer ? Effect.die("failed") : Effect.void
      )
    ),
    [titles.answers]
  ],
  "reads what it brings back with another key": () => [
    otherwise((_, __, ___, right) =>
      Effect.map(right, (answer) =>
        JSON.parse(JSON.stringify(answer), (key, value) => (key === "constructor" ? 2 : value))
      )
    ),
    [titles.values]
  ],
  "gives the answer of the operation before": () => {
    let last: unknown
    return [
      otherwise((_, name, __, right) =>
        Effect.map(Effect.andThen(Effect.yieldNow, right), (answer) => {
          const before = last
          last = answer
          return name === "evaluate" && before !== undefined ? (before as typeof answer) : answer
        })
      ),
      [titles.answers, titles.values, titles.own]
    ]
  },
  "does not give back the place of what was interrupted": () => {
    let isBusy = false
    return [
      otherwise((_, name, __, right) =>
        name !== "evaluate"
          ? Effect.suspend(() => (isBusy ? Effect.fail(new TooCostly({ exceeded: "queue", limit: "1" })) : right))
          : Effect.suspend(() => {
              isBusy = true
              return Effect.map(Effect.andThen(Effect.yieldNow, right), (answer) => {
                isBusy = false
                return answer
              })
            })
      ),
      [titles.interrupted]
    ]
  }
}

/** Faults of limits, as answers to the operations that go over them. */
const withoutEnd = (name: Name, asked: unknown): boolean => name === "violation" && JSON.stringify(asked).includes("#/")

const limitFaults: Readonly<Record<string, () => readonly [Shape, ReadonlyArray<string>]>> = {
  "never ends an operation": () => [
    otherwise((_, name, asked, right) =>
      withoutEnd(name, asked) ? Effect.never : name === "evaluate" ? tooLarge : right
    ),
    [titles.ends]
  ],
  "calls it a defect": () => [
    otherwise((_, name, asked, right) =>
      withoutEnd(name, asked)
        ? Effect.delay(Effect.die(new Error("time")), "100 millis")
        : name === "evaluate"
          ? tooLarge
          : right
    ),
    [titles.ends]
  ],
  "lets one workspace take all places": () => {
    const place = Deferred.makeUnsafe<void>()
    return [
      otherwise((_, name, asked, right) =>
        withoutEnd(name, asked)
          ? Effect.delay(inTime, "200 millis")
          : name === "evaluate"
            ? tooLarge
            : Effect.andThen(_ === "another" ? Deferred.await(place) : Effect.void, right)
      ),
      [titles.others]
    ]
  },
  "takes inputs of any size": () => [
    otherwise((_, name, asked, right) => (withoutEnd(name, asked) ? Effect.delay(inTime, "200 millis") : right)),
    [titles.large]
  ]
}

const tooLarge = Effect.fail(new TooCostly({ exceeded: "size", limit: "600000 values" }))
const inTime = Effect.fail(new TooCostly({ exceeded: "time", limit: "0.2 s" }))

describe("the contract of sandboxes", () => {
  it.live("is kept in the calling thread", () =>
    Effect.map(brokenBy(SandboxContract.promises, inProcess), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live("is kept in threads, with its limits", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* brokenBy(SandboxContract.promises, yield* threads({})), [])
      const limits = SandboxContract.limitsWithin(hangMillis)
      const others = limits.filter(({ title }) => title === titles.others)
      assert.lengthOf(others, 1)
      const endsSoon = yield* threads({ deadlineMillis: (name) => (name === "violation" ? 700 : hangMillis) })
      assert.deepStrictEqual(
        yield* brokenBy(
          limits.filter(({ title }) => title !== titles.others),
          endsSoon
        ),
        []
      )
      // The operations that could hold others up still run when those were answered.
      assert.deepStrictEqual(yield* brokenBy(others, yield* threads({ deadlineMillis: () => hangMillis })), [])
    })
  )

  it.live.each(Object.keys(faults))("finds a sandbox that %s", (fault) =>
    Effect.gen(function* () {
      const [sandbox, broken] = faults[fault]?.() ?? [inProcess, []]
      assert.deepStrictEqual(yield* brokenBy(SandboxContract.promises, sandbox), [...broken])
    })
  )

  it.live.each(Object.keys(limitFaults))("finds a sandbox with limits that %s", (fault) =>
    Effect.gen(function* () {
      const [sandbox, broken] = limitFaults[fault]?.() ?? [inProcess, []]
      assert.deepStrictEqual(yield* brokenBy(SandboxContract.limitsWithin(700), sandbox), [...broken])
    })
  )
})
