/**
 * Runs the operations on schemas, expressions, patterns and graphs of users, so that they do not block a process.
 */
import { Context, Effect, Schema } from "effect"
import { type Input, type Name, type Output, operations } from "./Operations.ts"

/** Raised for an operation that was ended, or not begun, because it takes more than it may. */
export class TooCostly extends Schema.TaggedError<TooCostly>()("TooCostly", {
  exceeded: Schema.Literals(["time", "memory", "size", "queue"]),
  /** The bound, with its unit. */
  limit: Schema.String
}) {
  override get message() {
    return sentences[this.exceeded](this.limit)
  }
}

const sentences: Readonly<Record<TooCostly["exceeded"], (limit: string) => string>> = {
  time: (limit) =>
    `It takes longer than ${limit} to work out: expected smaller or simpler schemas, expressions, patterns and values`,
  memory: (limit) =>
    `It takes more than ${limit} of memory to work out: expected smaller or simpler schemas, expressions and values`,
  size: (limit) => `It is too large to work out: expected at most ${limit}`,
  queue: (limit) => `${limit} checks of this workspace wait already: expected the request later again`
}

/**
 * The queue of a workspace is full. It is a defect for all but the edge of the service, which answers that the request may
 * be sent again later: nothing is wrong with what was asked.
 */
export class SandboxBusy extends Error {
  override readonly name = "SandboxBusy"
}

/**
 * The message to a caller about an operation that exceeded a bound. One that only waits for its turn is not the
 * caller's doing.
 */
export const refused =
  <A, E, R>(onExceeded: (message: string) => Effect.Effect<A, E, R>) =>
  ({ exceeded, message }: TooCostly): Effect.Effect<A, E, R> =>
    exceeded === "queue" ? Effect.die(new SandboxBusy(message)) : onExceeded(message)

export interface Shape {
  /**
   * Does an operation for a workspace. The operations of one workspace never keep those of another from their turn.
   */
  readonly run: <N extends Name>(owner: string, name: N, asked: Input<N>) => Effect.Effect<Output<N>, TooCostly>
}

/**
 * Runs every operation in the calling thread, without limits. What an operation answers at once is taken at once: a
 * promise and a signal cost more than most checks.
 */
export const inProcess: Shape = {
  run: <N extends Name>(_owner: string, name: N, asked: Input<N>) => {
    // The table has the operation of each name.
    const operation = operations[name] as (asked: Input<N>, signal?: AbortSignal) => Output<N> | Promise<Output<N>>
    return endsAtOnce(name)
      ? Effect.sync(() => operation(asked) as Output<N>)
      : Effect.promise(async (signal) => await operation(asked, signal))
  }
}

/** Whether an operation answers without a promise. */
const endsAtOnce = (name: Name): boolean => name !== "evaluate"

export const Sandbox = Context.Reference<Shape>("sluice/core/workflow/sandbox/Sandbox", {
  defaultValue: () => inProcess
})

/** The workspace of the run or conversation in progress. */
export const Owner = Context.Reference<string>("sluice/core/workflow/sandbox/Owner", { defaultValue: () => "" })

/** Does an operation for a workspace. */
export const run = Effect.fnUntraced(function* <N extends Name>(owner: string, name: N, asked: Input<N>) {
  const sandbox = yield* Sandbox
  return yield* sandbox.run(owner, name, asked)
})

/** Runs an operation for the workspace of the run or conversation in progress. */
export const runHere = Effect.fnUntraced(function* <N extends Name>(name: N, asked: Input<N>) {
  return yield* run(yield* Owner, name, asked)
})
