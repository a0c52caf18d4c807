/**
 * Failed sign-ins to the console, in the audit trail of the first workspace: the wrong secret names no other one.
 *
 * The first of an address has an entry at once. Those after it are counted, and have one entry a minute together, so that
 * a flood does not fill the trail. Every process counts separately; what it has not recorded when it ends is lost.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { outage } from "../../runtime/Supervisor.ts"
import { Audit } from "../audit/Audit.ts"
import { WorkspaceStore } from "../WorkspaceStore.ts"
import * as SignInAudit from "./SignInAudit.ts"

/** How long failures of an address are counted before they are recorded, in milliseconds. */
export const countedMillis = 60_000

/** Maximum number of addresses that are counted apart. Those beyond it are counted together. */
export const mostAddresses = 100

/** The name under which further addresses are counted together. */
export const others = "others"

export class FailedSignIns extends Context.Service<
  FailedSignIns,
  {
    /** Records or counts a failed sign-in from an address. */
    readonly note: (address: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/workspace/signin/FailedSignIns") {
  static readonly layer = Layer.effect(
    FailedSignIns,
    Effect.gen(function* () {
      const audit = yield* Audit
      const workspaces = yield* WorkspaceStore
      const scope: Scope.Scope = yield* Effect.scope
      /** How often the sign-ins of each address failed since its last entry. */
      const failed = new Map<string, number>()

      const record = Effect.fnUntraced(function* (address: string, attempts: number) {
        const first = (yield* workspaces.list).find(({ founding }) => founding === true)
        if (first !== undefined)
          yield* audit.record({ workspaceId: first.id }, SignInAudit.ofFailures(address, attempts))
      })

      /** Records what fails in each minute, until nothing does. */
      const count = Effect.fnUntraced(function* (address: string) {
        yield* Effect.sleep(countedMillis)
        for (let attempts = failed.get(address) ?? 0; attempts > 0; attempts = failed.get(address) ?? 0) {
          yield* record(address, attempts).pipe(
            Effect.andThen(Effect.sync(() => failed.set(address, (failed.get(address) ?? 0) - attempts))),
            // They are recorded with those of the next minute.
            Effect.catch(({ message }) => outage(message, "failed sign-ins"))
          )
          yield* Effect.sleep(countedMillis)
        }
        failed.delete(address)
      })

      return FailedSignIns.of({
        note: Effect.fn("FailedSignIns.note")(function* (from) {
          const address = failed.has(from) || failed.size < mostAddresses ? from : others
          const known = failed.get(address)
          failed.set(address, known === undefined ? 0 : known + 1)
          if (known !== undefined) return
          yield* Effect.forkIn(count(address), scope)
          yield* record(address, 1)
        })
      })
    })
  )
}
