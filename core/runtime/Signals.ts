/**
 * Wakes the processes that wait for something to do.
 *
 * A signal carries no state: its receiver reads the store. A lost signal only causes a delay, bounded by the slow poll
 * of every waiting process. A received signal arrives within milliseconds.
 */
import { Context, type Effect, type Scope, type Stream } from "effect"

/**
 * `work`: runs may be ready to start. `due`: the next due instant may be earlier. `events`: the event log has grown.
 * `canary`: a run of the new version of a canary has ended.
 * `ended`: a run was ended while running. `answered`: a question of a run was answered. `announced`: the submitter of a
 * run for a client has received its id. `watched`: a viewer of a run requests screenshots. `controlled`: control of the
 * browser of a run was taken or released. `builder`: a builder conversation has changed. `received`: a one-time code or
 * a link arrived. `changed`: a change was recorded in the audit trail of a workspace, of a resource of this kind.
 */
export type Signal =
  | { readonly _tag: "work" }
  | { readonly _tag: "due" }
  | { readonly _tag: "events" }
  | { readonly _tag: "received" }
  | { readonly _tag: "canary" }
  | { readonly _tag: "announced"; readonly runId: string; readonly clientId: string }
  | { readonly _tag: "ended"; readonly runId: string }
  | { readonly _tag: "answered"; readonly runId: string }
  | { readonly _tag: "watched"; readonly runId: string }
  | { readonly _tag: "controlled"; readonly runId: string }
  | { readonly _tag: "builder"; readonly conversationId: string }
  | { readonly _tag: "changed"; readonly workspaceId: string; readonly kind: string }

export class Signals extends Context.Service<
  Signals,
  {
    /** Sends a signal to every subscriber of every process. Several equal ones at once may arrive as one. */
    readonly publish: (signal: Signal) => Effect.Effect<void>

    /** Succeeds when the subscription is active. No signal published afterwards is missed until the scope closes. */
    readonly subscribe: Effect.Effect<Stream.Stream<Signal>, never, Scope.Scope>
  }
>()("sluice/core/runtime/Signals") {}
