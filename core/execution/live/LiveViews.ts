/**
 * Live view and remote control of a running run. A single-use token opens a view that streams status and screenshots.
 * Screenshots are taken only while a run has viewers. The audit trail has each view that is opened, and each control that is
 * taken or returned; not control that ends because its page is idle or the run ends.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import type { Gesture } from "../../browser/vision/RemoteHand.ts"
import { Ended, Status, statusAt } from "../../run/Run.ts"
import { history, RunStore } from "../../run/RunStore.ts"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import { Audit, type Author } from "../../workspace/audit/Audit.ts"
import type { AuditAction } from "../../workspace/audit/AuditAction.ts"
import { type RunId, RunNotFound, type UserId, type WorkspaceId } from "../../workspace/Ids.ts"
import { Keys } from "../../workspace/Keys.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import { type Caller, permits, type RoleForbids } from "../../workspace/Workspace.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { type Frame, LiveChannel } from "./LiveChannel.ts"
import * as LiveMessage from "./LiveMessage.ts"
import { type Admission, type Control, LiveStore } from "./LiveStore.ts"

/** Raised when a live view is requested of a run that has not started or has ended. */
export class NotLive extends Schema.TaggedError<NotLive>()("NotLive", { sessionId: Schema.String, status: Status }) {
  override get message() {
    return `Cannot watch run "${this.sessionId}": only a running run (execution.start) can be watched, and this one is ${this.status}`
  }
}

/** Raised when a viewer sends input to a run without having control of it. */
export class NotInControl extends Schema.TaggedError<NotInControl>()("NotInControl", {
  sessionId: Schema.String,
  reason: Schema.Literals(["taken", "none", "over"])
}) {
  override get message() {
    return `Cannot control run "${this.sessionId}": ${whys[this.reason]}`
  }
}

const whys = {
  taken: "another person has control; take control after they release it",
  none: "take control first; control is released when its page is closed or idle",
  over: "control lasts 30 minutes at most at a time"
}

/** Lifetime of a token, in milliseconds. */
export const tokenMillis = 60_000

/** Lifetime of control without renewal, and its maximum in total, in milliseconds. */
export const controlMillis = 15_000
const longestControlMillis = 30 * 60_000

/** How often a viewer gets the status of the run, in milliseconds. */
const statusMillis = 1_000

/** The status of a run at an instant. */
export interface LiveStatus {
  readonly status: Status
  readonly ended: boolean
  /** The name of the node that the run is at; `null` before the first. */
  readonly step: string | null
  /** The holder of control. */
  readonly control: Control | null
}

/** A viewer who was admitted to a run. */
export type AdmittedViewer = Pick<Admission, "runId" | "keyId" | "userId">

/** The rights of an admitted viewer at an instant. */
export type Rights = "none" | "watch" | "control"

export class LiveViews extends Context.Service<
  LiveViews,
  {
    /**
     * A new token for a running run, valid once, for 60 seconds. With `control` its holder may also take control of the
     * browser, which needs the ability `edit`.
     */
    readonly connect: (
      caller: Caller,
      id: RunId,
      control: boolean
    ) => Effect.Effect<Redacted.Redacted<string>, RoleForbids | RunNotFound | NotLive | StoreUnavailable>

    /** Redeems a token for a run; none if it is unknown, used, expired, of another run, or its key was revoked. */
    readonly enter: (
      id: string,
      token: Redacted.Redacted<string>
    ) => Effect.Effect<Option.Option<Admission>, StoreUnavailable>

    /**
     * The current rights of an admitted viewer: none if the key of their token is revoked, otherwise at most those of
     * its role. A viewer without a key may watch.
     */
    readonly rights: (viewer: AdmittedViewer) => Effect.Effect<Rights, StoreUnavailable>

    /** The workspace of a run; none where there is no such run. */
    readonly workspaceOf: (id: RunId) => Effect.Effect<Option.Option<WorkspaceId>, StoreUnavailable>

    /** The status of a run: now, every second and whenever control changes. Ends with the run. */
    readonly statuses: (id: RunId) => Stream.Stream<LiveStatus, RunNotFound | StoreUnavailable>

    /** Screenshots of a run, now and when the page changes. They are taken only while `looks` is read, too. */
    readonly frames: (id: RunId) => Stream.Stream<Frame>

    /**
     * Takes or renews control for a page, for 15 seconds from now, at most 30 minutes in total. The run stops before
     * its next step.
     */
    readonly take: (
      id: RunId,
      holder: string,
      userId: UserId
    ) => Effect.Effect<Control, NotInControl | NotLive | RunNotFound | StoreUnavailable>

    /** Extends control as `take` does, for the page that has it. It never takes it again after the release. */
    readonly renew: (
      id: RunId,
      holder: string
    ) => Effect.Effect<void, NotInControl | NotLive | RunNotFound | StoreUnavailable>

    /** Releases control. The run continues. */
    readonly release: (id: RunId, holder: string) => Effect.Effect<void, StoreUnavailable>

    /** Sends gestures to the page of the run. They are carried out in order. */
    readonly act: (
      id: RunId,
      holder: string,
      gestures: ReadonlyArray<Gesture>
    ) => Effect.Effect<void, NotInControl | RunNotFound | StoreUnavailable>
  }
>()("sluice/core/execution/live/LiveViews") {
  static readonly layer = Layer.effect(
    LiveViews,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const store = yield* LiveStore
      const workspaces = yield* WorkspaceStore
      const channel = yield* LiveChannel
      const keys = yield* Keys
      const signals = yield* Signals
      const sealing = yield* Sealing
      const audit = yield* Audit

      const standing = Effect.fnUntraced(function* (id: RunId) {
        const found = yield* store.standing(id)
        return Option.isSome(found) ? found.value : yield* new RunNotFound({ sessionId: id })
      })

      const record = Effect.fnUntraced(function* (
        id: RunId,
        author: Pick<Author, "userId" | "keyId">,
        action: Extract<AuditAction, `live_view.${string}`>,
        after: Schema.Json = null
      ) {
        const run = yield* store.standing(id)
        if (Option.isNone(run)) return
        yield* audit.record(
          { ...author, workspaceId: run.value.workspaceId },
          { action, resourceId: id, before: null, after }
        )
      })

      const release = Effect.fnUntraced(function* (id: RunId, holder: string) {
        const former = Option.getOrNull(yield* store.control(id))
        if (!(yield* store.release(id, holder))) return
        yield* signals.publish({ _tag: "controlled", runId: id })
        yield* record(id, former === null ? {} : { userId: former.userId }, "live_view.return_control")
      })

      /** The user and the key of an admission: those of its key; neither where it has none. */
      const authorOf = Effect.fnUntraced(
        function* ({ keyId, runId }: Admission) {
          if (keyId === null) return {}
          const { workspaceId } = yield* standing(runId)
          const key = yield* workspaces.getKey(workspaceId, keyId)
          return { keyId, ...Option.match(key, { onNone: () => ({}), onSome: ({ userId }) => ({ userId }) }) }
        },
        Effect.catchTag("RunNotFound", () => Effect.succeed({}))
      )

      const rights = Effect.fn("LiveViews.rights")(function* ({ keyId, runId, userId }: AdmittedViewer) {
        const run = Option.getOrUndefined(yield* store.standing(runId))
        if (run === undefined) return "none" satisfies Rights
        if (keyId === null) return userId === null ? "watch" : ("none" satisfies Rights)
        const key = Option.getOrUndefined(yield* workspaces.getKey(run.workspaceId, keyId))
        if (key === undefined || key.revokedAt !== null || !permits(key, "read")) return "none" satisfies Rights
        if ((key.expiresAt ?? Infinity) <= (yield* Clock.currentTimeMillis)) return "none" satisfies Rights
        return key.userId === userId && permits(key, "edit") ? "control" : ("watch" satisfies Rights)
      })

      const looks = Effect.fnUntraced(function* (id: RunId) {
        const changes = (yield* signals.subscribe).pipe(
          Stream.filter((signal) => (signal._tag === "controlled" || signal._tag === "ended") && signal.runId === id),
          Stream.map(() => undefined)
        )
        const ticks = Stream.fromEffectRepeat(Effect.sleep(statusMillis))
        let sequence = 0
        let step: string | null = null
        const look = Effect.gen(function* () {
          const { status } = yield* standing(id)
          const ended = Schema.is(Ended)(status)
          const events = yield* history(runs, id, sequence)
          for (const { event } of events) if (event.event === "execution.step") step = event.step
          sequence = events.at(-1)?.sequence ?? sequence
          if (status === "execution.start") yield* signals.publish({ _tag: "watched", runId: id })
          // A lost worker does not remove its last frame.
          if (ended) yield* channel.hide(id)
          const control = Option.getOrNull(yield* store.control(id))
          return { status, ended, step, control } satisfies LiveStatus
        })
        return Stream.concat(
          Stream.make(undefined),
          Stream.buffer(Stream.merge(changes, ticks), { capacity: 1, strategy: "sliding" })
        ).pipe(
          Stream.mapEffect(() => look),
          Stream.takeUntil(({ ended }) => ended)
        )
      })

      /** The present instant, if the run runs and the page has not had control for too long. */
      const controllable = Effect.fnUntraced(function* (id: RunId, holder: string) {
        const { status } = yield* standing(id)
        if (status !== "execution.start") return yield* new NotLive({ sessionId: id, status })
        const now = yield* Clock.currentTimeMillis
        const before = Option.getOrNull(yield* store.control(id))
        if (before?.holder !== holder || before.since + longestControlMillis > now) return now
        yield* release(id, holder)
        return yield* new NotInControl({ sessionId: id, reason: "over" })
      })

      return LiveViews.of({
        connect: Effect.fn("LiveViews.connect")(function* (caller, id, control) {
          yield* Permissions.require(caller, control ? "edit" : "read")
          const { gate, run } = yield* runs.get(caller.workspaceId, id)
          const now = yield* Clock.currentTimeMillis
          const status = statusAt(run, gate, now)
          if (status !== "execution.start") return yield* new NotLive({ sessionId: id, status })
          // The randomness of a key with another prefix, so that it is not mistaken for a key.
          const token = Redacted.make(Redacted.value(yield* keys.make).replace(/^sk_/, "live_"))
          yield* store.admit({
            hash: yield* keys.hash(token),
            runId: id,
            keyId: caller.keyId ?? null,
            userId: control ? caller.userId : null,
            expiresAt: now + tokenMillis
          })
          return token
        }),
        enter: Effect.fn("LiveViews.enter")(function* (id, token) {
          const admission = yield* store.redeem(yield* keys.hash(token))
          if (Option.isNone(admission) || admission.value.runId !== id) return Option.none()
          const granted = yield* rights(admission.value)
          if (granted === "none") return Option.none()
          yield* record(admission.value.runId, yield* authorOf(admission.value), "live_view.open", { may: granted })
          return admission
        }),
        rights,
        workspaceOf: (id) =>
          Effect.map(
            store.standing(id),
            Option.map(({ workspaceId }) => workspaceId)
          ),
        statuses: (id) => Stream.unwrap(looks(id)),
        frames: channel.frames,
        take: Effect.fn("LiveViews.take")(function* (id, holder, userId) {
          const now = yield* controllable(id, holder)
          const former = Option.getOrNull(yield* store.control(id))
          const control = yield* store.take({ runId: id, holder, userId, until: now + controlMillis })
          if (control.holder !== holder) return yield* new NotInControl({ sessionId: id, reason: "taken" })
          yield* signals.publish({ _tag: "controlled", runId: id })
          if (former?.holder !== holder) yield* record(id, { userId }, "live_view.take_control")
          return control
        }),
        renew: Effect.fn("LiveViews.renew")(function* (id, holder) {
          const now = yield* controllable(id, holder)
          if (!(yield* store.renew(id, holder, now + controlMillis))) {
            return yield* new NotInControl({ sessionId: id, reason: "none" })
          }
          yield* signals.publish({ _tag: "controlled", runId: id })
        }),
        release: Effect.fn("LiveViews.release")(release),
        act: Effect.fn("LiveViews.act")(function* (id, holder, gestures) {
          const control = Option.getOrNull(yield* store.control(id))
          if (control?.holder !== holder) {
            return yield* new NotInControl({ sessionId: id, reason: control === null ? "none" : "taken" })
          }
          const cipher = yield* sealing.cipher((yield* standing(id)).workspaceId)
          const messages = yield* LiveMessage.seal(cipher, { holder, gestures })
          yield* Effect.forEach(messages, (text) => channel.send(id, text), { discard: true })
        })
      })
    })
  )
}
