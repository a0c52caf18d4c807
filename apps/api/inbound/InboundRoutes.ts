/**
 * The endpoints that receive mails and SMS over HTTP, from mail services, SMS gateways, and other programs. They need
 * no API key; where the installation has no secret for it, there is no such address.
 */

import { Clock, Effect, Layer, Option, type Redacted, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { AwsFetch } from "../../../adapters/http/AwsFetch.ts"
import * as MailThread from "../../../adapters/mail/MailThread.ts"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { plainBody } from "../../../core/vault/inbox/ReceivedMessage.ts"
import { type Arrival, Receiving, type TooManyMails } from "../../../core/vault/inbox/Receiving.ts"
import * as PhoneNumbers from "../../../core/vault/otp/PhoneNumbers.ts"
import * as Errors from "../http/Errors.ts"
import { origin } from "../http/Origin.ts"
import * as Proof from "../http/Proof.ts"
import * as TooMany from "../http/TooMany.ts"
import * as Inbound from "./Inbound.ts"
import * as InboundBody from "./InboundBody.ts"
import * as MailForms from "./MailForms.ts"
import * as Sns from "./Sns.ts"
import * as Twilio from "./Twilio.ts"

type Response = HttpServerResponse.HttpServerResponse

const Sms = Schema.Struct({
  from: Schema.optionalKey(Schema.NullOr(Schema.String)),
  to: Schema.String,
  text: Schema.String,
  id: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** Handles the body of a request whose sender knows the secret. Without a signature, the request showed the secret. */
type Handle = (
  body: Buffer,
  request: HttpServerRequest.HttpServerRequest,
  signature: string | null
) => Effect.Effect<Response, StoreUnavailable>

/** Keeps what arrived, and answers how many recipients it had here. */
type Keep = (arrival: Arrival, way: "mail" | "sms") => Effect.Effect<Response, StoreUnavailable>

/** The routes, all below `/inbound/`. */
export const routes = Layer.unwrap(
  Effect.gen(function* () {
    const { secret, twilioAuthToken } = yield* Inbound.Inbound
    const receiving = yield* Receiving
    const trusted = trusting(secret)
    const kept: Keep = (arrival, way) =>
      receiving[way](arrival).pipe(
        Effect.map((outcome) => answer(200, { ...outcome })),
        Effect.catchTag("TooManyMails", (reached) => Effect.succeed(tooMany(reached)))
      )
    const twilio = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      twilioAuthToken === null ? Effect.succeed(missing(request)) : signedByTwilio(receiving, request, twilioAuthToken)
    )
    return Layer.mergeAll(
      HttpRouter.add("POST", "/inbound/mail", trusted(InboundBody.maxMailBytes, mail(kept))),
      HttpRouter.add("POST", "/inbound/mail/postmark", trusted(InboundBody.maxMailBytes, postmark(kept))),
      HttpRouter.add("POST", "/inbound/mail/ses", trusted(InboundBody.maxMailBytes, ses(kept, yield* AwsFetch))),
      HttpRouter.add("POST", "/inbound/sms", trusted(InboundBody.maxSmsBytes, sms(kept))),
      HttpRouter.add("POST", "/inbound/sms/twilio", twilio)
    )
  })
)

/** Lets in requests whose sender shows the secret, or signs with it. Without a secret there is no such address. */
const trusting = (secret: Redacted.Redacted<string> | null) => {
  const room = InboundBody.makeRoom()
  return (maxBytes: number, handle: Handle) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (secret === null) return missing(request)
      const way = Inbound.shown(request.headers, secret)
      if (way === "nothing") return unauthorized
      const body = yield* InboundBody.read(request, maxBytes, way === "signed" ? room : undefined)
      if (Result.isFailure(body)) return body.failure
      const counted = <E, R>(answer: Effect.Effect<Response, E, R>) => Proof.proven("inbound secret", answer)
      if (way === "secret") return yield* counted(handle(body.success, request, null))
      const now = yield* Clock.currentTimeMillis
      const checked = Inbound.checkSignature(request.headers, body.success, secret, now)
      if (checked === "wrong") return unauthorized
      if (checked === "stale") return stale
      return yield* counted(handle(body.success, request, Inbound.signatureOf(request.headers)))
    })
}

/** A message without an id is identified by its signature. */
const identified = (arrival: Arrival, signature: string | null): Arrival =>
  arrival.id === null && signature !== null ? { ...arrival, id: Inbound.idOf("signed", signature) } : arrival

const mail = (kept: Keep): Handle =>
  Effect.fnUntraced(function* (body, request, signature) {
    if (isJson(request)) {
      const arrival = yield* readAs(MailForms.plain, body)
      if (Option.isNone(arrival)) return notAMail
      return yield* kept(identified(arrival.value, signature), "mail")
    }
    const { id, message, recipients } = yield* MailThread.mail(body)
    const named = new URL(request.url, "http://localhost").searchParams.getAll("to")
    return yield* kept(
      { message, id, recipients: named.length === 0 ? recipients : MailForms.addressesIn(named) },
      "mail"
    )
  })

const postmark = (kept: Keep): Handle =>
  Effect.fnUntraced(function* (body) {
    const arrival = yield* readAs(MailForms.postmark, body)
    return Option.isNone(arrival) ? notPostmark : yield* kept(arrival.value, "mail")
  })

const ses = (kept: Keep, fetch: AwsFetch): Handle => {
  const check = Sns.makeChecking(fetch)
  return Effect.fnUntraced(function* (body) {
    const notice = Option.flatMap(InboundBody.json(body), Sns.decode)
    if (Option.isNone(notice)) return notSns
    const checked = yield* check(notice.value, yield* Clock.currentTimeMillis)
    if (checked === "wrong") return forbidden("The notification is not signed by Amazon SNS")
    if (checked === "stale") return stale
    if (notice.value.Type === "SubscriptionConfirmation") return yield* subscribed(fetch, notice.value)
    const arrival = yield* readAs(MailForms.ses, notice.value.Message)
    return Option.isNone(arrival) ? nothing : yield* kept(arrival.value, "mail")
  })
}

/** Confirms a subscription of Amazon SNS. */
const subscribed = Effect.fnUntraced(function* (fetch: AwsFetch, { SubscribeURL = "" }: Sns.Notice) {
  const url = Sns.awsUrl(SubscribeURL)
  if (url === null) return forbidden("The address that confirms the subscription is not one of Amazon SNS")
  const confirmed = yield* Effect.option(fetch(url))
  return Option.isSome(confirmed) ? nothing : answer(502, Errors.badRequest("The subscription could not be confirmed"))
})

const sms =
  (kept: Keep): Handle =>
  (body, _request, signature) => {
    const read = Option.flatMap(InboundBody.json(body), Schema.decodeUnknownOption(Sms))
    if (Option.isNone(read)) return Effect.succeed(notAnSms)
    const { from, id, text, to } = read.value
    const arrival = smsArrival({ from: from ?? "", to, text, id: id == null ? null : Inbound.idOf("sms", id) })
    return kept(identified(arrival, signature), "sms")
  }

const signedByTwilio = Effect.fnUntraced(function* (
  receiving: Receiving["Service"],
  request: HttpServerRequest.HttpServerRequest,
  token: Redacted.Redacted<string>
) {
  const body = yield* InboundBody.read(request, InboundBody.maxSmsBytes)
  if (Result.isFailure(body)) return body.failure
  const fields = new URLSearchParams(body.success.toString("utf8"))
  const url = (yield* origin) + request.url
  if (!Twilio.isSigned(request.headers["x-twilio-signature"], token, url, fields)) {
    return forbidden(
      "The message is not signed by Twilio for this address: SLUICE_PUBLIC_URL must be what Twilio calls"
    )
  }
  const sid = fields.get("MessageSid") ?? fields.get("SmsMessageSid")
  const arrival = smsArrival({
    from: fields.get("From") ?? "",
    to: fields.get("To") ?? "",
    text: fields.get("Body") ?? "",
    id: Inbound.idOf("twilio", sid ?? request.headers["x-twilio-signature"] ?? "")
  })
  // The signature of Twilio covers no time.
  const kept = receiving.sms({ ...arrival, replayable: true })
  return yield* Proof.proven(
    "Twilio",
    Effect.as(kept, HttpServerResponse.text("<Response/>", { contentType: "text/xml" }))
  )
})

/** The mail in a JSON body of a form; none where the body has none. */
const readAs = (form: (json: unknown) => Effect.Effect<Option.Option<Arrival>>, body: Buffer | string) =>
  Option.match(InboundBody.json(body), { onNone: () => Effect.succeedNone, onSome: form })

const smsArrival = (sms: {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly id: string | null
}): Arrival => ({
  recipients: Result.match(PhoneNumbers.parse(sms.to), { onFailure: () => [], onSuccess: (number) => [number] }),
  message: { from: sms.from, subject: "", bodies: [plainBody(sms.text)] },
  id: sms.id
})

const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() === "application/json"

const answer = (status: number, body: object): Response => HttpServerResponse.jsonUnsafe(body, { status })

const missing = ({ method, url }: HttpServerRequest.HttpServerRequest): Response =>
  answer(404, Errors.general(404, `No endpoint ${method} ${(url.split("?")[0] ?? "").slice(0, 200)}`))

const tooMany = ({ limit, message, retryAfterMillis }: TooManyMails): Response =>
  TooMany.answer({ message, limit, setting: "SLUICE_WORKSPACE_MAILS", retryAfterMillis })

const unauthorized = answer(
  401,
  Errors.general(
    401,
    "Expected the inbound secret of this installation as the password of Basic authentication, as a bearer token, or in a signature"
  )
)
const stale = answer(409, Errors.general(409, "The message was signed too long ago, and is not taken"))
const forbidden = (message: string): Response => answer(403, Errors.general(403, message))
const nothing = answer(200, { recipients: 0, kept: 0, repeated: false })
const notAMail = answer(
  400,
  Errors.badRequest('Expected a mail such as {"from": "…", "to": "…", "subject": "…", "text": "…", "html": "…"}')
)
const notPostmark = answer(400, Errors.badRequest("Expected an inbound message as Postmark sends it, with a MessageID"))
const notSns = answer(400, Errors.badRequest("Expected a notification of Amazon SNS"))
const notAnSms = answer(
  400,
  Errors.badRequest('Expected an SMS such as {"from": "…", "to": "+15551234567", "text": "…"}')
)
