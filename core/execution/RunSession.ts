/** The browser session of a run: its initial state from the credentials, and the state that is stored afterwards. */
import { Clock, Effect, Option, Random, Redacted, Result, Schema } from "effect"
import type { Outcome } from "../agent/Outcome.ts"
import type { BrowserSession } from "../browser/Browser.ts"
import * as Session from "../browser/Session.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import { inBrackets, SettingNames } from "../runtime/SettingNames.ts"
import type { Account } from "../vault/Account.ts"
import { type Cipher, Sealing } from "../vault/keys/Sealing.ts"
import * as Proxies from "../vault/Proxies.ts"
import * as SecretSites from "../vault/site/SecretSites.ts"
import { VaultEntries } from "../vault/VaultEntries.ts"
import { type BrowserState, openBrowserState, type VaultEntry } from "../vault/VaultEntry.ts"
import type * as AllowedSites from "../workflow/AllowedSites.ts"
import type { Settings } from "../workflow/Workflow.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import * as SavedSession from "./SavedSession.ts"

/** The session of one attempt. */
export interface RunSession {
  /** The initial state of the browser; `Session.secrets` lists its secret values. */
  readonly session: Session.Session
  /**
   * Stores the browser state of credentials that ask for it. After a failed login or the loss of the browser, the stored
   * state stays unchanged. Not called after an interruption.
   */
  readonly over: (page: BrowserSession, outcome: Outcome) => Effect.Effect<void>
}

/** The inputs of a session: its credentials, and the settings of the workflow, such as its proxy. */
export interface SessionRequest {
  readonly workspaceId: WorkspaceId
  /** The identity by which a proxy is chosen consistently, if no credential has a proxy setting. */
  readonly id: string
  readonly accounts: Iterable<Account>
  readonly settings: Settings
}

/** Raised when a run cannot use its required proxy. The message contains no secret. */
export class NoProxy extends Schema.TaggedError<NoProxy>()("NoProxy", {
  setting: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use the ${this.setting} proxy of the run: ${this.reason}`
  }
}

/** A credential in its state at the start of the attempt. */
interface UsedCredential {
  readonly entry: VaultEntry
  readonly state: BrowserState
}

/** The session of a run without saved state. */
const plain = (allowedSites: AllowedSites.AllowedSites): RunSession => ({
  session: { ...Session.empty, allowedSites },
  over: () => Effect.void
})

/** Makes the function that begins the session of an attempt. */
export const make = Effect.gen(function* () {
  const entries = yield* VaultEntries
  const sealing = yield* Sealing
  const pool = yield* Proxies.ProxyPool
  const names = yield* SettingNames

  const change = (entry: VaultEntry, decide: (before: VaultEntry) => VaultEntry) =>
    entries
      .change(entry.workspaceId, entry.id, (before) => Result.succeed(decide(before)))
      .pipe(Effect.catchTag("KeyTaken", Effect.die))

  /** Marks a credential as used, and drops the values of an expired session. */
  const use = Effect.fnUntraced(function* (cipher: Cipher, account: Account, now: number) {
    const entry = Option.getOrElse(
      yield* change(account.entry, (before) => SavedSession.used(before, now)),
      () => account.entry
    )
    return { entry, state: yield* openBrowserState(cipher, entry) } satisfies UsedCredential
  })

  /** The proxy of the first credential with a proxy setting; otherwise that of the workflow. */
  const proxyOf = Effect.fnUntraced(function* (
    cipher: Cipher,
    used: ReadonlyArray<UsedCredential>,
    { id, settings }: SessionRequest
  ) {
    const asking = used.find(({ entry }) => entry.fields.proxy_setting !== null)?.entry
    const { proxy_setting = null, proxy_value = null } = asking?.fields ?? settings
    const value = typeof proxy_value === "string" ? proxy_value : null
    switch (proxy_setting) {
      case "custom": {
        const plain = asking === undefined ? used.find(({ entry }) => SecretSites.permitsPlainHttp(entry)) : undefined
        if (plain !== undefined) {
          // Every Member saves workflows, and the proxy would read what is sent without encryption.
          const reason = `the credential for ${plain.entry.domain} may be used by http, so an Owner names the proxy in the credential`
          return yield* new NoProxy({ setting: proxy_setting, reason })
        }
        const url = yield* urlOf(cipher, value)
        const proxy = url === null ? null : Proxies.parseUrl(Redacted.value(url))
        return (
          proxy ??
          (yield* new NoProxy({
            setting: proxy_setting,
            reason: "expected a URL such as socks5://user:password@host:1080"
          }))
        )
      }
      case "random":
      case "static":
      case "country": {
        const chosen = Proxies.choose(pool, { proxy_setting, proxy_value: value }, asking?.id ?? id, yield* Random.next)
        if (Result.isSuccess(chosen)) return chosen.success
        return yield* new NoProxy({
          setting: proxy_setting,
          reason: `${chosen.failure}${inBrackets(names, "proxies")}`
        })
      }
      default:
        return null
    }
  })

  const keep = Effect.fnUntraced(function* (began: ReadonlyArray<UsedCredential>, page: BrowserSession) {
    const keeping = began.filter(({ entry }) => SavedSession.isKeeping(entry))
    if (keeping.length === 0) return
    const wanted = keeping.map(({ entry, state }) => SavedSession.keepsOrigin(entry, state))
    const remembered = yield* page.observation.remembered((origin) => wanted.some((keeps) => keeps(origin)))
    const now = yield* Clock.currentTimeMillis
    for (const { entry, state } of keeping) {
      const cipher = yield* sealing.cipher(entry.workspaceId)
      const sealed: { -readonly [part in SavedSession.Part]?: string | null } = {}
      for (const [part, value] of Object.entries(SavedSession.left(entry, state, remembered, now))) {
        // The parts of a browser state, each of them JSON. The type of `Object.entries` does not express this.
        sealed[part as SavedSession.Part] =
          value == null ? null : yield* cipher.seal(Redacted.make(value as Schema.Json))
      }
      if (Object.keys(sealed).length > 0) yield* change(entry, SavedSession.kept(entry, sealed, now))
    }
  })

  return Effect.fn("RunSession.begin")(function* (request: SessionRequest) {
    const opened = [...request.accounts]
    const allowedSites = request.settings.allowed_sites ?? []
    if (opened.length === 0 && (request.settings.proxy_setting ?? "off") === "off") return plain(allowedSites)
    const now = yield* Clock.currentTimeMillis
    const cipher = yield* sealing.cipher(request.workspaceId)
    const used = yield* Effect.forEach(opened, (account) => use(cipher, account, now))
    const proxy = yield* proxyOf(cipher, used, request)
    const brought = SavedSession.join(used.map(({ entry, state }) => SavedSession.brought(entry, state, now)))
    // A proxy that the workflow names reads what is sent by http.
    const isOfWorkflow = proxy?.isOwn === false && used.every(({ entry }) => entry.fields.proxy_setting === null)
    const cookies = isOfWorkflow ? brought.cookies.map((cookie) => ({ ...cookie, secure: true })) : brought.cookies
    return {
      session: { ...brought, cookies, proxy, allowedSites },
      over: (page, outcome) =>
        isUsable(outcome)
          ? keep(used, page).pipe(
              // The error may contain the session data, so only its kind is logged.
              Effect.catchCause((cause) => {
                const [first] = cause.reasons
                const kind = first?._tag === "Fail" ? first.error._tag : (first?._tag ?? "Unknown")
                return Effect.logWarning(`The browser state of a credential could not be stored: ${kind}`)
              })
            )
          : Effect.void
    } satisfies RunSession
  })
})

/** The request of an attempt of a run. */
export const ofRun = ({ run, version }: ClaimedRun, accounts: Iterable<Account>): SessionRequest => ({
  workspaceId: run.workspaceId,
  id: run.workflowId,
  accounts,
  settings: version.content.settings
})

/** Whether the browser state after an execution may be stored. */
const isUsable = (outcome: Outcome): boolean =>
  outcome._tag === "Success" ||
  (outcome.failure.code !== "BROWSER-E0001" &&
    outcome.failure.code !== "PROXY-E0001" &&
    outcome.failure.failedLogin === null)

/** The URL of a custom proxy: sealed, or in plain text in the workflow. */
const urlOf = (cipher: Cipher, value: string | null): Effect.Effect<Redacted.Redacted<string> | null> => {
  if (value === null) return Effect.succeed(null)
  if (Proxies.parseUrl(value) !== null) return Effect.succeed(Redacted.make(value))
  return cipher.unseal(value).pipe(
    Effect.map(Redacted.value),
    Effect.map((url) => (typeof url === "string" ? Redacted.make(url) : null)),
    Effect.orElseSucceed(() => null)
  )
}
