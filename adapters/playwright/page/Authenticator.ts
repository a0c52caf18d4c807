/**
 * A virtual authenticator of the browser, which holds one passkey of the vault, or makes one.
 */
import { Deferred, Effect, Redacted } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import type { Authenticator } from "../../../core/browser/Navigation.ts"
import type { Passkey } from "../../../core/vault/passkey/Passkey.ts"
import type { Tabs } from "./Tabs.ts"

/** How long it stays after its step, in milliseconds: the page receives its answer after the browser reports it. */
const afterwardsMillis = 1_000

/** How the authenticator of a tab is removed. A tab has one at most. */
const removals = new WeakMap<Page, () => Promise<void>>()

const remove = async (tab: Page): Promise<void> => {
  const removal = removals.get(tab)
  removals.delete(tab)
  // The session may have ended with a page that crashed.
  await removal?.().catch(() => undefined)
}

/** Puts an authenticator into the active tab, and into those that it opens, until the scope closes. */
export const open = Effect.fnUntraced(function* ({ attempt, current }: Tabs, passkey: Passkey | null) {
  const signed = yield* Deferred.make<void>()
  const made = yield* Deferred.make<Passkey>()
  const own = new Map<Page, () => Promise<void>>()
  let isOver = false
  const { page } = current()
  const context: BrowserContext = page.context()

  const arm = async (tab: Page): Promise<void> => {
    await remove(tab)
    const line = await context.newCDPSession(tab)
    // The authenticator goes with its session.
    const removal = () => line.detach()
    own.set(tab, removal)
    removals.set(tab, removal)
    await line.send("WebAuthn.enable", { enableUI: false })
    const { authenticatorId } = await line.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true
      }
    })
    const isOwn = (event: { readonly authenticatorId: string }) => event.authenticatorId === authenticatorId
    line.on("WebAuthn.credentialAsserted", (event) => {
      if (isOwn(event)) Deferred.doneUnsafe(signed, Effect.void)
    })
    line.on("WebAuthn.credentialAdded", (event) => {
      if (isOwn(event) && passkey === null) Deferred.doneUnsafe(made, Effect.succeed(passkeyOf(event.credential)))
    })
    if (isOver) return remove(tab)
    if (passkey !== null)
      await line.send("WebAuthn.addCredential", { authenticatorId, credential: credentialOf(passkey) })
  }
  const armTab = (tab: Page): void => void arm(tab).catch(() => undefined)

  yield* Effect.acquireRelease(
    attempt(null, async () => {
      try {
        await arm(page)
      } catch (error) {
        await remove(page)
        throw error
      }
      context.on("page", armTab)
    }),
    () =>
      Effect.sync(() => {
        context.off("page", armTab)
        setTimeout(() => {
          isOver = true
          for (const [tab, removal] of own) if (removals.get(tab) === removal) void remove(tab)
        }, afterwardsMillis).unref()
      })
  )
  return { signed: Deferred.await(signed), made: Deferred.await(made) } satisfies Authenticator
})

/** A credential as DevTools knows it. */
interface Credential {
  readonly credentialId: string
  readonly isResidentCredential: boolean
  readonly rpId?: string
  readonly privateKey: string
  readonly userHandle?: string
  readonly signCount: number
}

const credentialOf = ({ credentialId, privateKey, rpId, signCount, userHandle }: Passkey): Credential => ({
  credentialId,
  isResidentCredential: userHandle !== null,
  rpId,
  privateKey: Redacted.value(privateKey),
  signCount,
  ...(userHandle === null ? {} : { userHandle })
})

const passkeyOf = ({ credentialId, privateKey, rpId, signCount, userHandle }: Credential): Passkey => ({
  credentialId,
  rpId: rpId ?? "",
  privateKey: Redacted.make(privateKey),
  userHandle: userHandle ?? null,
  signCount
})
