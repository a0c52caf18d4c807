/** Checks the credentials of held runs before their run window opens, for workflows whose settings ask for it. */
import { Clock, Effect, Option } from "effect"
import * as SignInCheck from "../../vault/health/SignInCheck.ts"
import * as SignInHealth from "../../vault/health/SignInHealth.ts"
import { locate, VaultEntries } from "../../vault/VaultEntries.ts"
import { longestCheckMinutes } from "../../workflow/Workflow.ts"
import { UserId } from "../../workspace/Ids.ts"
import { type Opening, RunStore } from "../RunStore.ts"
import * as SignInChecks from "./SignInChecks.ts"

/** How many members of a pool are checked. */
const mostMembers = 20

/**
 * One round: begins the checks that are due, in the name of the user who stored the credential. Any number of processes may
 * do this at once: of two that begin the same check, one succeeds.
 */
export const round = Effect.fn("DueChecks.round")(function* () {
  const begin = yield* SignInChecks.make
  const entries = yield* VaultEntries
  const runs = yield* RunStore
  const openings = yield* runs.opening((yield* Clock.currentTimeMillis) + longestCheckMinutes * 60_000)
  const seen = new Set<string>()

  const look = Effect.fnUntraced(function* (
    { leadMillis, opensAt, run }: Opening,
    permissionedUserId: string,
    domain: string
  ) {
    const { workspaceId } = run
    const found = Option.getOrNull(yield* locate(entries, workspaceId, { permissionedUserId, domain }))
    if (found === null || seen.has(found.id)) return
    const decision = SignInCheck.decide({
      known: SignInHealth.current(found),
      lastCheckAt: found.lastCheck?.at ?? null,
      at: yield* Clock.currentTimeMillis,
      isAsked: false,
      opensAt,
      leadMillis
    })
    if (decision._tag !== "Now") return
    seen.add(found.id)
    const caller = { workspaceId, userId: UserId.make(found.createdBy), role: "Member" } as const
    const plan = { entry: found, workflowId: run.workflowId, input: run.input }
    yield* begin(caller, plan).pipe(
      Effect.catch((failure) =>
        failure._tag === "StoreUnavailable"
          ? Effect.fail(failure)
          : Effect.logInfo(`A credential is not checked before its window opens: ${failure.message}`)
      ),
      Effect.annotateLogs({ workflow_id: run.workflowId, credential: found.id })
    )
  })

  for (const opening of openings) {
    for (const { domain, permissionedUserIds } of opening.run.credentials) {
      for (const id of permissionedUserIds.slice(0, mostMembers)) yield* look(opening, id, domain)
    }
  }
})

/** The periodic job. A check begins at most five minutes late. */
export const checking = { name: "check credentials", every: "5 minutes", round: round() } as const
