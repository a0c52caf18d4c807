/**
 * Checks of credentials: runs of a workflow that only sign in with one, and end as soon as the site has let the account in.
 *
 * A check is a run like any other: it waits for a slot of the credential, a worker and the pace of its workflow, and stands in
 * lists with the trigger `check`. The run window does not hold it; a manual pause does. It does no step behind the sign-in, is
 * never repeated, stops no other run, and its only events that webhooks get are questions to persons.
 */
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import * as Gate from "../../gate/Gate.ts"
import { GateStore } from "../../gate/GateStore.ts"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import * as SignInCheck from "../../vault/health/SignInCheck.ts"
import * as SignInHealth from "../../vault/health/SignInHealth.ts"
import * as Domain from "../../vault/site/Domain.ts"
import { locate, VaultEntries } from "../../vault/VaultEntries.ts"
import { EntryNotFound, InvalidEntry, type VaultEntry } from "../../vault/VaultEntry.ts"
import type * as InputContract from "../../workflow/contract/InputContract.ts"
import type * as FieldLimit from "../../workflow/FieldLimit.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import { RunId, WorkflowId, WorkflowNotFound, type WorkspaceId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import * as Run from "../Run.ts"
import { RunStore } from "../RunStore.ts"
import * as Submitting from "../submit/Submitting.ts"
import * as Transition from "../Transition.ts"
import * as CheckBody from "./CheckBody.ts"

/** A check that has not started by then fails. */
const longestWaitMillis = 900_000

/** Raised for a check that must not be made now. */
export class SignInCheckRefused extends Schema.TaggedError<SignInCheckRefused>()("SignInCheckRefused", {
  permissionedUserId: Schema.String,
  domain: Schema.String,
  why: Schema.Literals(["locked", "refused", "new_password", "failed_often", "paused"])
}) {
  override get message() {
    return `Cannot check the credential of "${this.permissionedUserId}" for "${this.domain}": ${reasons[this.why]}`
  }
}

const mend = "Change the credential with PUT /vault, or let a run sign in with it; then it can be checked again"

const reasons: Readonly<Record<SignInCheckRefused["why"], string>> = {
  locked: `the site has locked the account. ${mend}`,
  refused: `the site refused it, and one more attempt may lock the account. ${mend}`,
  new_password: `the site asks for a new password. ${mend}`,
  failed_often: `it failed twice since the last sign-in, and one more attempt may lock the account. ${mend}`,
  paused: "the workflow is paused. End the pause, or name another workflow as workflow_id"
}

/** Raised for a check of a credential that is being checked. */
export class SignInCheckRunning extends Schema.TaggedError<SignInCheckRunning>()("SignInCheckRunning", {
  sessionId: Schema.String
}) {
  override get message() {
    return `Cannot check the credential a second time: run "${this.sessionId}" is checking it`
  }
}

export type CheckFailure =
  | SignInCheckRefused
  | SignInCheckRunning
  | InvalidEntry
  | WorkflowNotFound
  | InputContract.InvalidInput
  | Submitting.InvalidSubmission
  | FieldLimit.FieldsTooLarge
  | StoreUnavailable

/** What a check signs in with, and by which workflow. */
export interface Plan {
  readonly entry: VaultEntry
  readonly workflowId: string | null
  readonly input: Schema.JsonObject | null
}

/** Makes the function that begins a check now, in the name of a caller, unless a lock-out threatens. */
export const make = Effect.gen(function* () {
  const entries = yield* VaultEntries
  const gates = yield* GateStore
  const runs = yield* RunStore
  const signals = yield* Signals
  const workflows = yield* WorkflowStore
  const submit = yield* Submitting.make

  const runOf = (workspaceId: WorkspaceId, id: string) =>
    Schema.is(RunId)(id)
      ? runs.get(workspaceId, id).pipe(
          Effect.map(({ run }) => run),
          Effect.catchTag("RunNotFound", () => Effect.succeed(null))
        )
      : Effect.succeed(null)

  /** The workflow that signs in, the alias that it knows the credential by, and its input. */
  const meansOf = Effect.fnUntraced(function* ({ entry, input, workflowId }: Plan) {
    const { latest } = entry.health ?? {}
    const id = workflowId ?? latest?.workflowId ?? null
    const invalid = (message: string) => new InvalidEntry({ problems: [{ path: "workflow_id", message }] })
    if (id === null) return yield* invalid("Expected the id of a workflow, as no run has used this credential yet")
    if (!Schema.is(WorkflowId)(id)) return yield* new WorkflowNotFound({ workflowId: id })
    const { version } = yield* workflows.get(entry.workspaceId, id)
    const alias = Object.entries(version.content.vault_schema).find(
      ([, one]) =>
        typeof one === "object" && one !== null && "domain" in one && Domain.matches(entry.domain, String(one.domain))
    )?.[0]
    if (alias === undefined) {
      return yield* invalid(`Expected a workflow whose vault_schema has a credential for ${entry.domain}`)
    }
    const former = input === null && latest?.workflowId === id ? yield* runOf(entry.workspaceId, latest.runId) : null
    return { alias, workflowId: id, input: { ...(input ?? former?.input), [alias]: entry.permissionedUserId } }
  })

  /** Lets the run start past the run window, in the name of a user. */
  const release = (run: Run.Run, userId: string) =>
    runs
      .change(run.workspaceId, run.id, (locked, at) => {
        const { change } = Transition.release(locked, { at, by: userId }, false)
        // Where no window holds it there is nothing to release.
        return Result.succeed(change ?? { run: locked.run, events: [] })
      })
      .pipe(Effect.catchTags({ RunEnded: () => Effect.void, RunNotFound: () => Effect.void }))

  return Effect.fn("SignInChecks.begin")(function* (
    caller: Caller,
    plan: Plan
  ): Effect.fn.Return<Run.Run, CheckFailure> {
    const { entry } = plan
    const { domain, permissionedUserId, workspaceId } = entry
    const refuse = (why: SignInCheckRefused["why"]) => new SignInCheckRefused({ permissionedUserId, domain, why })
    const threat = SignInCheck.threatOf(SignInHealth.current(entry))
    if (threat !== null) return yield* refuse(threat)
    const { alias, input, workflowId } = yield* meansOf(plan)
    const now = yield* Clock.currentTimeMillis
    if (Gate.inForce(yield* gates.get(workspaceId, workflowId), now).pause !== null) return yield* refuse("paused")
    // Of checks that begin at once, one has the reference: it names the check before them.
    let before = entry.lastCheck?.runId ?? "none"
    for (;;) {
      const last = yield* runOf(workspaceId, before)
      if (last !== null && !Run.isEnded(last)) return yield* new SignInCheckRunning({ sessionId: last.id })
      const submitted = yield* Effect.result(
        submit(caller, {
          workflowId,
          input,
          trigger: "check",
          startBy: now + longestWaitMillis,
          options: { check: { alias }, reference: `check ${entry.id} after ${before}`, isReferenceUnique: true }
        })
      )
      if (Result.isFailure(submitted)) {
        if (submitted.failure._tag !== "ReferenceTaken") return yield* Effect.fail(submitted.failure)
        before = submitted.failure.sessionId
        continue
      }
      const run = submitted.success
      yield* entries
        .change(workspaceId, entry.id, (one) => Result.succeed({ ...one, lastCheck: { at: now, runId: run.id } }))
        .pipe(Effect.catchTag("KeyTaken", Effect.die))
      yield* release(run, caller.userId)
      yield* signals.publish({ _tag: "work" })
      yield* signals.publish({ _tag: "events" })
      return run
    }
  })
})

export class SignInChecks extends Context.Service<
  SignInChecks,
  {
    /**
     * Begins a check of the credential that a body names, and returns its run: see `CheckBody`. Refused where one more failure
     * may lock the account, and while the credential is being checked.
     */
    readonly check: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<Run.Run, CheckFailure | EntryNotFound | RoleForbids>
  }
>()("sluice/core/run/check/SignInChecks") {
  static readonly layer = Layer.effect(
    SignInChecks,
    Effect.gen(function* () {
      const audit = yield* Audit
      const begin = yield* make
      const entries = yield* VaultEntries

      return SignInChecks.of({
        check: Effect.fn("SignInChecks.check")(function* (caller, body) {
          const read = CheckBody.read(body)
          if (Result.isFailure(read)) return yield* new InvalidEntry({ problems: read.failure })
          const { input, pair, workflowId } = read.success
          const entry = yield* locate(entries, caller.workspaceId, pair)
          if (Option.isNone(entry)) return yield* new EntryNotFound(pair)
          const run = yield* begin(caller, { entry: entry.value, input, workflowId })
          const { domain, id, permissionedUserId } = entry.value
          const resourceName = `${permissionedUserId} on ${domain}`
          const after = { session_id: run.id, workflow_id: run.workflowId }
          yield* audit.record(caller, { action: "credential.check", resourceId: id, resourceName, before: null, after })
          return run
        })
      })
    }).pipe(Permissions.checked<SignInChecks["Service"]>({ check: "edit" }))
  )
}
