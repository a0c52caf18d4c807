/** Runs operations on the schemas, expressions, patterns and graphs of users, so that they do not block the process. */
import { Context, Effect, Schema } from "effect"
import { type Input, type Name, type Output, operations } from "./Operations.ts"

/** Raised for an operation that was terminated, or refused, because it exceeds a limit. */
export class TooCostly extends Schema.TaggedError<TooCostly>()("TooCostly", {
  exceeded: Schema.Literals(["time", "memory", "size", "queue"]),
  /** The limit, with its unit. */
  limit: Schema.String
}) {
  override get message() {
    return sentences[this.exceeded](this.limit)
  }
}

const sentences: Readonly<Record<TooCostly["exceeded"], (limit: string) => string>> = {
  time: (limit) =>
    `The check takes longer than ${limit}: expected smaller or simpler schemas, expressions, patterns and values`,
  memory: (limit) =>
    `The check takes more than ${limit} of memory: expected smaller or simpler schemas, expressions and values`,
  size: (limit) => `The content is too large to check: expected at most ${limit}`,
  queue: (limit) => `${limit} checks are already waiting: send the request again later`
}

/**
 * Thrown when the queue of a workspace is full. Only the HTTP layer handles it: it answers that the request may be sent
 * again later, because the request itself is valid.
 */
export class SandboxBusy extends Error {
  override readonly name = "SandboxBusy"
}

/**
 * The error for a caller whose operation exceeded a limit. A full queue is a defect instead, because the caller did not
 * cause it.
 */
export const refused =
  <A, E, R>(onExceeded: (message: string) => Effect.Effect<A, E, R>) =>
  ({ exceeded, message }: TooCostly): Effect.Effect<A, E, R> =>
    exceeded === "queue" ? Effect.die(new SandboxBusy(message)) : onExceeded(message)

export interface Shape {
  /**
   * Runs an operation for a workspace. The operations of one workspace never block those of another, and what requests
   * ask for blocks no run. Limits of time count only computing, not waiting.
   */
  readonly run: <N extends Name>(owner: string, name: N, asked: Input<N>) => Effect.Effect<Output<N>, TooCostly>
}

/**
 * Runs every operation in the calling thread, without limits but that of an expression that never ends. Synchronous operations run without a promise and a
 * signal, which would cost more than most checks.
 */
export const inProcess: Shape = {
  run: <N extends Name>(_owner: string, name: N, asked: Input<N>) => {
    // The record has an operation for each name.
    const operation = operations[name] as (asked: Input<N>, signal?: AbortSignal) => Output<N> | Promise<Output<N>>
    return endsAtOnce(name)
      ? Effect.sync(() => operation(asked) as Output<N>)
      : Effect.promise(async (signal) => await operation(asked, signal)).pipe(
          // An expression that waits for nothing would never end.
          Effect.timeoutOrElse({
            duration: longestMillis,
            orElse: () => Effect.fail(new TooCostly({ exceeded: "time", limit: `${longestMillis / 1_000} s` }))
          })
        )
  }
}

const longestMillis = 30_000

/** Whether an operation is synchronous. */
const endsAtOnce = (name: Name): boolean => name !== "evaluate" && name !== "convert"

export const Sandbox = Context.Reference<Shape>("sluice/core/workflow/sandbox/Sandbox", {
  defaultValue: () => inProcess
})

/**
 * The key whose request is answered; `null` for runs, schedules and conversations, which requests never hold up: their
 * operations have threads of their own.
 */
export const Asker = Context.Reference<string | null>("sluice/core/workflow/sandbox/Asker", {
  defaultValue: (): string | null => null
})

/** The workspace of the run or conversation in progress. */
export const Owner = Context.Reference<string>("sluice/core/workflow/sandbox/Owner", { defaultValue: () => "" })

/** Runs an operation for a workspace. */
export const run = Effect.fnUntraced(function* <N extends Name>(owner: string, name: N, asked: Input<N>) {
  const sandbox = yield* Sandbox
  return yield* sandbox.run(owner, name, asked)
})

/** Runs an operation for the workspace of the run or conversation in progress. */
export const runHere = Effect.fnUntraced(function* <N extends Name>(name: N, asked: Input<N>) {
  return yield* run(yield* Owner, name, asked)
})
