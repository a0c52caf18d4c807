/**
 * What one workspace may take of a process: what the operator set, else a part of it where there are several workspaces.
 */
import { Effect, Layer, Option } from "effect"
import { WorkspaceShares } from "../../../core/workspace/request/WorkspaceShares.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"

/** What the operator set; `null` for no limit. */
export interface Chosen {
  readonly requests: Option.Option<number> | null
  readonly mails: Option.Option<number> | null
  readonly liveViews: Option.Option<number> | null
}

/** The shares that are not set. */
export const defaults = { requests: 12_000, mails: 600, liveViews: 250 }

/** Whether there are several workspaces. */
export const areSeveral = Effect.flatMap(WorkspaceStore, (workspaces) =>
  workspaces.list.pipe(
    Effect.map((all) => all.length > 1),
    // A store that cannot be reached gives nothing either.
    Effect.orElseSucceed(() => true)
  )
)

/** The same, looked up at most once a minute. */
export const areSeveralLately = Effect.flatMap(Effect.context<WorkspaceStore>(), (context) =>
  Effect.cachedWithTTL(Effect.provideContext(areSeveral, context), "1 minute")
)

/**
 * How many of the places of a process one workspace may have: what the operator set, else all but one where there are
 * several workspaces.
 */
export const placesOf = <R>(set: Option.Option<number>, places: number, several: Effect.Effect<boolean, never, R>) =>
  Option.match(set, {
    onNone: () => Effect.map(several, (are) => (are ? Math.max(1, places - 1) : places)),
    onSome: (most) => Effect.succeed(Math.min(most, places))
  })

/** The shares of places, where the workspaces are counted at most once a minute. */
export const sharesOfPlaces = Effect.map(
  areSeveralLately,
  (several) => (set: Option.Option<number>) => (places: number) => placesOf(set, places, several)
)

/** The shares of the HTTP interface and of the inbox. */
export const layer = (chosen: Chosen) =>
  Layer.effect(
    WorkspaceShares,
    Effect.map(areSeveralLately, (several) => {
      const shareOf = (set: Option.Option<number> | null, usual: number): Effect.Effect<number | null> => {
        if (set === null) return Effect.succeed(null)
        return Option.match(set, {
          onNone: () => Effect.map(several, (are) => (are ? usual : null)),
          onSome: (most) => Effect.succeed(most)
        })
      }
      return {
        requests: shareOf(chosen.requests, defaults.requests),
        mails: shareOf(chosen.mails, defaults.mails),
        liveViews: shareOf(chosen.liveViews, defaults.liveViews)
      }
    })
  )
