/**
 * Entries of the vault and runs that name them, for contracts of who may start when.
 */
import { Clock, Effect, Result } from "effect"
import * as RunFailure from "../../../../core/event/RunFailure.ts"
import type { GateStore } from "../../../../core/gate/GateStore.ts"
import { type Credential, chosen } from "../../../../core/run/CredentialReferences.ts"
import { type ClaimedRun, RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import { VaultEntries } from "../../../../core/vault/VaultEntries.ts"
import type { Fields } from "../../../../core/vault/VaultEntry.ts"
import { type StoredWorkflow, WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { RunId } from "../../../../core/workspace/Ids.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as Contract from "../Contract.ts"
import { makeWorkspace, stored, submission, vaultEntry } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = GateStore | RunStore | VaultEntries | WorkflowStore | WorkspaceStore

export const site = "https://app.example.com"

/** A workspace with a workflow whose runs are retried up to three times. */
const makeRetried = Effect.gen(function* () {
  const caller = yield* makeWorkspace()
  const { version, ...others } = stored(caller)
  const retried = { ...others, version: { ...version, content: { ...version.content, max_retries: 3 } } }
  yield* (yield* WorkflowStore).create(retried, () => Result.void)
  return [caller, retried] as const
})

/** Runs a test with a new workspace, and a workflow whose runs are retried up to three times. */
export const withWorkflow = <A, E, R>(test: (caller: Caller, workflow: StoredWorkflow) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(makeRetried, ([caller, workflow]) => test(caller, workflow))

/** A promise that is tested in a new workspace, with such a workflow, on a separate clock that begins at the epoch. */
export const promise = <A, E, More = never>(
  title: string,
  test: (
    caller: Caller,
    workflow: StoredWorkflow,
    time: SteppingClock.SteppingClock
  ) => Effect.Effect<A, E, Stores | More>
) =>
  Contract.promise(
    title,
    Effect.suspend(() => {
      const time = SteppingClock.make(0)
      return withWorkflow((caller, workflow) => test(caller, workflow, time)).pipe(
        Effect.provideService(Clock.Clock, time.clock)
      )
    })
  )

/** Stores an entry of a user. */
export const makeEntry = Effect.fn(function* (
  caller: Caller,
  permissionedUserId: string,
  given: Partial<Fields> = {},
  domain = site
) {
  const entry = vaultEntry(caller, given, { permissionedUserId, domain })
  yield* (yield* VaultEntries).insert(caller.workspaceId, entry)
  return entry
})

/** The credential of a run under an alias: one user, or a pool. */
export const naming = (
  permissionedUserIds: string | ReadonlyArray<string>,
  alias = "USER",
  domain = site
): Credential => ({
  alias,
  permissionedUserIds: typeof permissionedUserIds === "string" ? [permissionedUserIds] : permissionedUserIds,
  domain
})

const error = { ...RunFailure.of({ code: null, message: "No" }), id: "1", at: 1_000 }

export const submit = Effect.fnUntraced(function* (
  workflow: StoredWorkflow,
  ...credentials: ReadonlyArray<ReturnType<typeof naming>>
) {
  const sent = submission(workflow, { credentials })
  yield* (yield* RunStore).submit(sent)
  return sent.id
})

export const claim = (limit = 10) =>
  Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit, leaseMillis: 30_000 }))

export const held = ({ run }: ClaimedRun) => ({ id: run.id, fence: run.lease?.fence ?? 0 })

export const settle = (claimed: ClaimedRun | undefined, outcome: Transition.Outcome) =>
  Effect.flatMap(RunStore, (runs) => {
    if (claimed === undefined) throw new Error("Nothing was claimed")
    const lease = held(claimed)
    return runs.settle(lease, (locked, at) => Transition.settle(locked, outcome, at))
  })

export const finish = (claimed: ClaimedRun | undefined) => settle(claimed, { _tag: "Success", data: {} })
export const failLogin = (claimed: ClaimedRun | undefined, retry?: Transition.Retry) =>
  settle(claimed, {
    _tag: "Failed",
    data: {},
    errors: [error],
    failedLogin: "USER",
    ...(retry === undefined ? {} : { retry })
  })

export const ids = (claimed: ReadonlyArray<ClaimedRun>) => claimed.map(({ run }) => run.id)
export const users = (claimed: ReadonlyArray<ClaimedRun>) =>
  claimed.map(({ run }) => run.credentials.map((credential) => chosen(credential)))

export const stopAll = (limit = 100) =>
  Effect.flatMap(RunStore, (runs) =>
    Effect.repeat(runs.stopAfterFailedLogins(limit, Transition.stopAfter), { while: (more) => more })
  )

export const status = (caller: Caller, id: RunId) =>
  Effect.flatMap(RunStore, (runs) => Effect.map(runs.get(caller.workspaceId, id), ({ run }) => run.status))
