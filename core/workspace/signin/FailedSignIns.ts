/**
 * Failed sign-ins to the console and refused API keys, in the audit trail of the first workspace: the wrong secret names no
 * other one. They are counted by the address of the client, as `CountedEntries` says.
 */
import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit, type Draft } from "../audit/Audit.ts"
import * as CountedEntries from "../audit/CountedEntries.ts"
import { WorkspaceStore } from "../WorkspaceStore.ts"
import * as SignInAudit from "./SignInAudit.ts"

/** The name under which further addresses are counted together. */
const others = "others"

export class FailedSignIns extends Context.Service<
  FailedSignIns,
  {
    /** Records or counts a failed sign-in from an address. */
    readonly note: (address: string) => Effect.Effect<void, StoreUnavailable>
    /** Records or counts a request from an address that was refused for its API key. */
    readonly noteKey: (address: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/workspace/signin/FailedSignIns") {
  static readonly layer = Layer.effect(
    FailedSignIns,
    Effect.gen(function* () {
      const audit = yield* Audit
      const workspaces = yield* WorkspaceStore
      const record = (draft: (address: string, attempts: number) => Draft) =>
        Effect.fnUntraced(function* (address: string, attempts: number) {
          const first = (yield* workspaces.list).find(({ founding }) => founding === true)
          if (first !== undefined) yield* audit.record({ workspaceId: first.id }, draft(address, attempts))
        })
      const signIns = yield* CountedEntries.make(record(SignInAudit.ofFailures), "failed sign-ins")
      const keys = yield* CountedEntries.make(record(SignInAudit.ofRefusedKeys), "refused API keys")
      return FailedSignIns.of({
        note: Effect.fn("FailedSignIns.note")((address) => signIns(address, others)),
        noteKey: Effect.fn("FailedSignIns.noteKey")((address) => keys(address, others))
      })
    })
  )
}
