/**
 * The page that shows a run while it goes on, and what the page asks for. Neither needs a key nor a cookie: the page
 * trades its single-use token for a ticket, and shows the ticket with every look.
 */
import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { LiveViews } from "../../../core/run/LiveViews.ts"
import { RunId } from "../../../core/run/Run.ts"
import * as Errors from "../request/Errors.ts"
import * as LivePage from "./LivePage.ts"
import { LiveTickets } from "./LiveTickets.ts"

/** How long a page that stopped asking may begin again, in milliseconds. */
const ticketMillis = 5 * 60_000

const isRun = Schema.is(RunId)

const page = HttpRouter.add(
  "GET",
  "/live/:session_id",
  Effect.map(HttpRouter.params, ({ session_id }) =>
    isRun(session_id)
      ? HttpServerResponse.text(LivePage.html, {
          contentType: "text/html; charset=utf-8",
          headers: {
            "content-security-policy": LivePage.policy,
            "cache-control": "no-cache",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff"
          }
        })
      : answer(404, Errors.general(404, "No such live view: expected the id of a run"))
  )
)

const Entrance = Schema.Struct({ token: Schema.String })

/** The page and what it asks for. */
export const routes = Layer.unwrap(
  Effect.gen(function* () {
    const views = yield* LiveViews
    const tickets = yield* LiveTickets

    /** Trades a token for a ticket. The token is used up, whichever run it was for. */
    const enter = Effect.gen(function* () {
      const { session_id } = yield* HttpRouter.params
      const request = yield* HttpServerRequest.HttpServerRequest
      const sent = yield* request.json.pipe(Effect.flatMap(Schema.decodeUnknownEffect(Entrance)), Effect.option)
      if (Option.isNone(sent)) return answer(400, Errors.badRequest('Expected a body such as {"token": "live_…"}'))
      const admission = yield* views.enter(Redacted.make(sent.value.token))
      if (Option.isNone(admission) || admission.value.runId !== session_id) {
        return answer(401, Errors.general(401, "This token is not valid: it lets one page in, within 60 seconds"))
      }
      const now = yield* Clock.currentTimeMillis
      return answer(200, { ticket: tickets.issue(session_id, now + ticketMillis) })
    })

    /** What is new since the last look, and a ticket for the next one. */
    const look = Effect.gen(function* () {
      const { session_id } = yield* HttpRouter.params
      const request = yield* HttpServerRequest.HttpServerRequest
      const now = yield* Clock.currentTimeMillis
      const id = tickets.read((request.headers.authorization ?? "").replace(/^Bearer /, ""), now)
      if (id === null || id !== session_id) {
        return answer(401, Errors.general(401, "This view is not valid any more: ask for a new connection"))
      }
      const query = new URL(request.url, "http://localhost").searchParams
      const seen = { event: count(query.get("event")), frame: count(query.get("frame")) }
      const found = yield* Effect.option(views.look(id, seen))
      if (Option.isNone(found)) return answer(404, Errors.general(404, "This run does not exist any more"))
      const { ended, frame, seen: next, status, step } = found.value
      return answer(200, {
        status,
        ended,
        step,
        picture: frame === null ? null : `data:image/jpeg;base64,${Buffer.from(frame.bytes).toString("base64")}`,
        seen: next,
        ticket: tickets.issue(id, now + ticketMillis)
      })
    })

    return Layer.mergeAll(
      page,
      HttpRouter.add("POST", "/live/:session_id/view", enter),
      HttpRouter.add("GET", "/live/:session_id/view", look)
    )
  })
)

const count = (text: string | null): number => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0)

const answer = (status: number, body: object) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } })
