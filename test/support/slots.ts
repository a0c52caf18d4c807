/**
 * Entries of the vault and runs that name them, for tests of the order of starts.
 */
import { Effect } from "effect"
import * as RunFailure from "../../core/event/RunFailure.ts"
import { type Credential, chosen } from "../../core/run/CredentialReferences.ts"
import { type ClaimedRun, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { Fields } from "../../core/vault/VaultEntry.ts"
import type { StoredWorkflow } from "../../core/workflow/WorkflowStore.ts"
import type { RunId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { entryOf } from "./entries.ts"
import { makeWorkflow, makeWorkspace, submission } from "./fixtures.ts"

export const site = "https://app.example.com"

/** Runs a test with a new workspace, and a workflow whose runs are retried up to three times. */
export const withWorkflow = <A, E, R>(test: (caller: Caller, workflow: StoredWorkflow) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    return yield* test(caller, yield* makeWorkflow(caller, { maxRetries: 3 }))
  })

/** Stores an entry of a user. */
export const makeEntry = Effect.fn(function* (
  caller: Caller,
  permissionedUserId: string,
  given: Partial<Fields> = {},
  domain = site
) {
  const entry = entryOf(given, { workspaceId: caller.workspaceId, permissionedUserId, domain })
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
