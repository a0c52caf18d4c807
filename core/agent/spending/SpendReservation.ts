/** Reserves the calls of a run in the ledger of its workspace. */
import { Clock, Effect } from "effect"
import type { Run } from "../../run/Run.ts"
import * as StoreUnavailable from "../../runtime/StoreUnavailable.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { StepFailed } from "../Failure.ts"
import type { Use } from "../model/ModelUse.ts"
import { SpendLedger } from "./SpendLedger.ts"

/** How long a call may take beyond the time that it has, before it counts as lost, in milliseconds. */
const graceMillis = 60_000

/** The pause before a call is asked for again that waits for others to end. */
const pause = "250 millis"

/** How long a call waits for others to end at most, in milliseconds. */
const longestWait = 180_000

/** What a run does before each call: it waits while others may use the rest of a limit. Without the store, no call is made. */
export const make = Effect.gen(function* () {
  const ledger = yield* SpendLedger
  const identifiers = yield* Identifiers

  return ({ id: runId, workflowId, workspaceId }: Pick<Run, "id" | "workflowId" | "workspaceId">): Use["reserve"] =>
    Effect.fnUntraced(function* ({ model, most, node, purpose, timeoutMillis }) {
      const id = yield* identifiers.uuid
      const asked = { id, workspaceId, workflowId, runId, node: { id: node.id, name: node.name }, purpose, model, most }
      const until = (yield* Clock.currentTimeMillis) + longestWait
      while (true) {
        const verdict = yield* ledger
          .reserve({ ...asked, lostAfterMillis: timeoutMillis + graceMillis })
          .pipe(StoreUnavailable.waitUntilBack)
        if (verdict._tag === "Spend") break
        if (verdict._tag === "Refused") return yield* refused(model, verdict.reason)
        if ((yield* Clock.currentTimeMillis) >= until) {
          return yield* refused(model, "other calls may use what is left of its limit, and have not ended")
        }
        yield* Effect.sleep(pause)
      }
      return (used) =>
        // An answer that could not be entered counts as lost later, by the most that it may have used.
        ledger.settle(workspaceId, id, used).pipe(StoreUnavailable.retry, Effect.ignore)
    })
})

const refused = (model: string, reason: string) =>
  new StepFailed({
    code: "MODEL-E0004",
    sentence: `Not asked the model "${model}": ${reason}`,
    original: reason
  })
