/**
 * Signing in to the console, and out. These routes are for browsers: programs present an API key with every request.
 */
import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Keys } from "../../../core/workspace/Keys.ts"
import { FailedSignIns } from "../../../core/workspace/signin/FailedSignIns.ts"
import { freshMillis, type NewSession, type SignedIn, SignIns } from "../../../core/workspace/signin/SignIns.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as ClientAddress from "../http/ClientAddress.ts"
import * as Errors from "../http/Errors.ts"
import { PublicUrl } from "../http/Origin.ts"
import * as Proof from "../http/Proof.ts"
import * as Cookie from "./Cookie.ts"

const path = "/console/session"

const secret = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const SignIn = Schema.Union([Schema.Struct({ key: secret }), Schema.Struct({ link: secret })])

/** Who is signed in, as the console receives it. */
export interface Session {
  readonly role: string
  readonly user_id: string
  readonly key_id: string
  readonly key_name: string | null
  readonly workspace_id: string
  readonly workspace_name: string
  /** Until when it may make keys and invitations. */
  readonly fresh_until: string
  readonly expires_at: string
}

/** A new session, with the half of its secret that the page sends in the header `x-sluice-session`. */
export interface OpenedSession extends Session {
  readonly page_secret: string
}

const refused = (status: 400 | 401 | 403, message: string) => answer(status, Errors.general(status, message))

const answer = (status: number, body: object, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store", ...headers } })

const foreign = refused(
  403,
  "Only a page of this service may sign in or out: Origin must be the address of the service"
)

const wrongKey = refused(401, "This API key is not valid: expected one of this service that is not revoked")
const wrongLink = refused(401, "This link was used already or has expired: sign in with an API key")

export const routes = Layer.unwrap(
  Effect.gen(function* () {
    const signIns = yield* SignIns
    const workspaces = yield* WorkspaceStore
    const keys = yield* Keys
    const publicUrl = yield* PublicUrl
    const failures = yield* FailedSignIns
    const isTrusted = yield* ClientAddress.TrustedProxies

    const shown = Effect.fnUntraced(function* ({ caller, expiresAt, keyName, openedAt }: SignedIn) {
      const workspace = yield* workspaces.get(caller.workspaceId)
      return {
        role: caller.role,
        user_id: caller.userId,
        key_id: caller.keyId ?? "",
        key_name: keyName,
        workspace_id: caller.workspaceId,
        workspace_name: Option.match(workspace, { onNone: () => "", onSome: ({ name }) => name }),
        fresh_until: new Date(openedAt + freshMillis).toISOString(),
        expires_at: new Date(expiresAt).toISOString()
      } satisfies Session
    })

    /** Opens a session in the place of the one that the browser had. */
    const opened = Effect.fnUntraced(function* (session: NewSession, request: HttpServerRequest.HttpServerRequest) {
      const { host } = request.headers
      const former = Cookie.secretOf(request, publicUrl)
      if (former !== null) yield* signIns.end(former)
      const seconds = Math.round((session.expiresAt - (yield* Clock.currentTimeMillis)) / 1_000)
      const { page, setCookie } = Cookie.opening(session.secret, seconds, { host, publicUrl })
      return answer(200, { ...(yield* shown(session)), page_secret: page }, { "set-cookie": setCookie })
    })

    const failed = (request: HttpServerRequest.HttpServerRequest, answer: HttpServerResponse.HttpServerResponse) =>
      Effect.as(failures.note(ClientAddress.of(request, isTrusted)), answer)

    const signIn = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!Cookie.isOurs(request, publicUrl)) return foreign
      const body = yield* request.json.pipe(Effect.flatMap(Schema.decodeUnknownEffect(SignIn)), Effect.option)
      if (Option.isNone(body)) return refused(400, 'Expected a body such as {"key": "sk_…"} or {"link": "sk_…"}')
      if ("link" in body.value) {
        const link = Redacted.make(body.value.link)
        const session = yield* signIns.withLink(link)
        if (Option.isNone(session)) return yield* failed(request, wrongLink)
        // A link opens one session, so that this is its first request.
        return yield* Proof.proven(yield* keys.hash(link), opened(session.value, request))
      }
      const key = Redacted.make(body.value.key)
      const name = yield* keys.hash(key)
      if (Option.isNone(yield* workspaces.authenticate(name))) return yield* failed(request, wrongKey)
      const open = Effect.flatMap(signIns.withKey(key), (session) =>
        Option.isSome(session) ? opened(session.value, request) : failed(request, wrongKey)
      )
      return yield* Proof.proven(name, open)
    })

    const current = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const secret = Cookie.secretOf(request, publicUrl)
      const session = secret === null ? Option.none<SignedIn>() : yield* signIns.of(secret)
      return Option.isSome(session) ? answer(200, yield* shown(session.value)) : answer(200, {})
    })

    const signOut = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!Cookie.isOurs(request, publicUrl)) return foreign
      const secret = Cookie.secretOf(request, publicUrl)
      if (secret !== null) yield* signIns.end(secret)
      return answer(200, {}, { "set-cookie": Cookie.closing({ host: request.headers.host, publicUrl }) })
    })

    return Layer.mergeAll(
      HttpRouter.add("POST", path, signIn),
      HttpRouter.add("GET", path, current),
      HttpRouter.add("DELETE", path, signOut)
    )
  })
)
