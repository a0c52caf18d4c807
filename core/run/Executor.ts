/**
 * Executes an attempt of a run: the agent with its browser, or an executor that a program provides instead.
 *
 * **Example** (An executor of a program)
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Executor } from "@sluice/core/run/executor"
 *
 * export const executor = Layer.succeed(Executor, {
 *   execute: ({ run }, { mark }) =>
 *     // From here on the run is not repeated when its worker dies: it may have changed something.
 *     Effect.as(mark({ acted: true }), { _tag: "Success", data: { order: run.input["order"] ?? null } })
 * })
 * ```
 */

import { Context, type Effect } from "effect"
import type { RunEvent } from "../event/RunEvent.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { LeaseLost, Progress } from "./Run.ts"
import type { ClaimedRun } from "./RunStore.ts"
import type { Outcome } from "./Transition.ts"

/** How a running attempt reports its progress. */
export interface Reporter {
  /** Reports an event. Events arrive in this order, soon, and before the end of the run. */
  readonly event: (event: RunEvent) => Effect.Effect<void>

  /**
   * Stores a mark of progress. An attempt waits for this before the action that the mark announces, so that a run whose
   * worker dies is never repeated by mistake.
   */
  readonly mark: (progress: Partial<Progress>) => Effect.Effect<void, LeaseLost | StoreUnavailable>

  /** Reports that the attempt has signed in with a credential, so that other runs may sign in with it. */
  readonly loggedIn: (alias: string) => Effect.Effect<void, LeaseLost | StoreUnavailable>
}

export class Executor extends Context.Service<
  Executor,
  {
    /**
     * Carries out one attempt and answers how it ended. Every failure on the way is part of the outcome. Interruption
     * ends it promptly and leaves nothing behind.
     */
    readonly execute: (claimed: ClaimedRun, reporter: Reporter) => Effect.Effect<Outcome, LeaseLost | StoreUnavailable>
  }
>()("sluice/core/run/Executor") {}
