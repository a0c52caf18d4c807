/**
 * The page that shows a run in progress, and the requests of the page. No request uses a key or a cookie: the page
 * exchanges its single-use token for a ticket, and sends the ticket with every request. So other sites cannot forge its
 * requests.
 */
import { Clock, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Ticket } from "../../../adapters/crypto/Tickets.ts"
import { Gesture } from "../../../core/browser/vision/RemoteHand.ts"
import { LiveViews } from "../../../core/execution/live/LiveViews.ts"
import { RunId } from "../../../core/workspace/Ids.ts"
import { Keys } from "../../../core/workspace/Keys.ts"
import { WorkspaceShares } from "../../../core/workspace/request/WorkspaceShares.ts"
import * as Errors from "../http/Errors.ts"
import * as Proof from "../http/Proof.ts"
import * as TooMany from "../http/TooMany.ts"
import { Streams } from "../stream/Streams.ts"
import * as LivePage from "./LivePage.ts"
import * as LiveStream from "./LiveStream.ts"
import { LiveTickets } from "./LiveTickets.ts"

/** Lifetime of a ticket, in milliseconds. */
const ticketMillis = 5 * 60_000

/** Maximum number of open views in one process. */
export const mostPages = 500

const isRun = Schema.is(RunId)

const page = HttpRouter.add(
  "GET",
  "/live/:session_id",
  Effect.map(HttpRouter.params, ({ session_id }) => {
    if (!isRun(session_id)) return answer(404, Errors.general(404, "No such live view: expected the id of a run"))
    const { html, policy } = LivePage.get()
    return HttpServerResponse.text(html, {
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": policy,
        "cache-control": "no-cache",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff"
      }
    })
  })
)

const Entrance = Schema.Struct({ token: Schema.String })

/** The unique name of a page, so that only one has control. */
const holder = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{16,64}$/))
const Control = Schema.Struct({ action: Schema.Literals(["take", "renew", "release"]), holder })
const Acting = Schema.Struct({ holder, gestures: Schema.Array(Gesture).check(Schema.isMaxLength(200)) })

/** The status of a run, as the live view receives it. */
export interface RunStatus {
  readonly status: string
  readonly ended: boolean
  readonly step: string | null
  /** The page that has control; `null` when the run has it. */
  readonly holder: string | null
  readonly may_control: boolean
  /** The ticket of the next requests of the page. */
  readonly ticket: string
}

const notValid = () => answer(401, Errors.general(401, "This view is no longer valid: request a new connection"))

const invalidToken = () =>
  answer(
    401,
    Errors.general(401, "This token is not valid: expected an unused token, within 60 seconds of its creation")
  )

const tooManyViews = () =>
  answer(503, Errors.general(503, "Too many live views are open in this process; try again later"))

const tooManyOfWorkspace = (limit: number) =>
  TooMany.answer({
    message: `This workspace has ${limit} live views open here, and may have ${limit}: close one, then ask again`,
    limit,
    setting: "SLUICE_WORKSPACE_LIVE_VIEWS",
    retryAfterMillis: 5_000
  })

/** The body of a request; none when it does not fit its schema. */
const sent = <A>(schema: Schema.Codec<A, unknown>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    request.json.pipe(Effect.flatMap(Schema.decodeUnknownEffect(schema)), Effect.option)
  )

/** No proxy may hold a view back, compress it or store it. */
const streamed = {
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff"
}

/** The statuses of a run, until it ends or the key that the ticket was issued for is revoked. */
const statusesOf = (views: typeof LiveViews.Service, tickets: typeof LiveTickets.Service, ticket: Ticket) =>
  views.statuses(ticket.runId).pipe(
    Stream.mapEffect((look) => Effect.map(views.rights(ticket), (rights) => ({ look, rights }))),
    Stream.takeWhile(({ rights }) => rights !== "none"),
    Stream.mapEffect(({ look: { control, ended, status, step }, rights }) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now): RunStatus => ({
          status,
          ended,
          step,
          holder: control?.holder ?? null,
          may_control: rights === "control",
          ticket: tickets.issue(ticket.runId, now + ticketMillis, ticket)
        })
      )
    )
  )

/** The page and what it asks for. */
export const routes = Layer.unwrap(
  Effect.gen(function* () {
    const views = yield* LiveViews
    const tickets = yield* LiveTickets
    const keys = yield* Keys
    const limited = LiveStream.limited(mostPages)
    const shares = yield* WorkspaceShares
    const streams = yield* Streams

    /** The ticket that a request comes with, and what may be done with it; none when it is not valid for the run of its address. */
    const ticketOf = Effect.gen(function* () {
      const { session_id } = yield* HttpRouter.params
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const now = yield* Clock.currentTimeMillis
      const ticket = tickets.read((headers.authorization ?? "").replace(/^Bearer /, ""), now)
      return ticket?.runId === session_id ? ticket : null
    })

    const admitted = Effect.gen(function* () {
      const ticket = yield* ticketOf
      return ticket === null ? null : { ticket, rights: yield* views.rights(ticket) }
    })

    /** Counts what comes with a ticket under the key that the view was opened with, else under its run. */
    const counted = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.flatMap(ticketOf, (ticket) =>
        ticket === null ? answer : Proof.proven(`view of ${ticket.keyId ?? ticket.runId}`, answer)
      )

    /** Exchanges a token for a ticket. The token is used up, also if it was for another run. */
    const enter = Effect.gen(function* () {
      const { session_id } = yield* HttpRouter.params
      const body = yield* sent(Entrance)
      if (Option.isNone(body)) return answer(400, Errors.badRequest('Expected a body such as {"token": "live_…"}'))
      const token = Redacted.make(body.value.token)
      const admission = yield* views.enter(session_id ?? "", token)
      if (Option.isNone(admission)) return invalidToken()
      const now = yield* Clock.currentTimeMillis
      const ticket = tickets.issue(admission.value.runId, now + ticketMillis, admission.value)
      const entered = answer(200, { ticket, control: admission.value.userId !== null })
      // A token opens one view, so that this is its first request.
      return yield* Proof.proven(yield* keys.hash(token), Effect.succeed(entered))
    })

    /** Streams the run, with a new ticket every second. */
    const watch = Effect.gen(function* () {
      const admission = yield* admitted
      if (admission === null || admission.rights === "none") return notValid()
      const { ticket } = admission
      const workspaceId = yield* views.workspaceOf(ticket.runId)
      if (Option.isNone(workspaceId)) return notValid()
      const share = yield* shares.liveViews
      const shown = LiveStream.of(statusesOf(views, tickets, ticket), views.frames(ticket.runId))
      const stream = limited(workspaceId.value, share, shown)
      if (stream === "workspace" && share !== null) return tooManyOfWorkspace(share)
      if (typeof stream === "string") return tooManyViews()
      // A view that was opened without a key is counted for its run.
      const holder = { workspaceId: workspaceId.value, key: ticket.keyId ?? ticket.runId }
      return yield* streams.answer(holder, stream, { contentType: "application/octet-stream", headers: streamed })
    })

    /** The user who may take control, with the decoded body. The permission is checked for each request. */
    const controlling = <A extends { readonly holder: string }>(schema: Schema.Codec<A, unknown>) =>
      Effect.gen(function* () {
        const admission = yield* admitted
        if (admission === null) return { refusal: notValid() }
        const { runId, userId } = admission.ticket
        const body = yield* sent(schema)
        if (admission.rights !== "control" && userId !== null && Option.isSome(body)) {
          yield* views.release(runId, body.value.holder)
        }
        if (admission.rights === "none") return { refusal: notValid() }
        if (admission.rights === "watch" || userId === null) {
          const message = "This view is read-only: request a connection with control=true, with the role Member"
          return { refusal: answer(403, Errors.general(403, message)) }
        }
        if (Option.isNone(body))
          return { refusal: answer(400, Errors.badRequest("The body does not have the expected form")) }
        return { runId, userId, body: body.value }
      })

    const control = Effect.gen(function* () {
      const asked = yield* controlling(Control)
      if ("refusal" in asked) return asked.refusal
      const { body, runId, userId } = asked
      if (body.action === "release") {
        yield* views.release(runId, body.holder)
        return answer(200, { control: false })
      }
      const controlled =
        body.action === "take" ? views.take(runId, body.holder, userId) : views.renew(runId, body.holder)
      return yield* Effect.asVoid(controlled).pipe(
        Effect.map(() => answer(200, { control: true })),
        Effect.catchTag("RunNotFound", ({ message }) => Effect.succeed(answer(404, Errors.general(404, message)))),
        Effect.catch(({ message }) => Effect.succeed(answer(409, Errors.general(409, message))))
      )
    })

    const act = Effect.gen(function* () {
      const asked = yield* controlling(Acting)
      if ("refusal" in asked) return asked.refusal
      const { body, runId } = asked
      return yield* views.act(runId, body.holder, body.gestures).pipe(
        Effect.map(() => answer(200, { accepted: body.gestures.length })),
        Effect.catchTag("RunNotFound", ({ message }) => Effect.succeed(answer(404, Errors.general(404, message)))),
        Effect.catch(({ message }) => Effect.succeed(answer(409, Errors.general(409, message))))
      )
    })

    return Layer.mergeAll(
      page,
      HttpRouter.add("POST", "/live/:session_id/view", enter),
      HttpRouter.add("GET", "/live/:session_id/view", counted(watch)),
      HttpRouter.add("POST", "/live/:session_id/control", counted(control)),
      HttpRouter.add("POST", "/live/:session_id/gestures", counted(act))
    )
  })
)

const answer = (status: number, body: object) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } })
