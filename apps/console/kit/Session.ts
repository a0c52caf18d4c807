/** The user who is signed in to this browser. */
import { Atom } from "effect/reactivity"
import type { OpenedSession, Session } from "../../api/console/SessionRoutes.ts"
import { registry } from "./Registry.ts"
import { go } from "./Route.ts"

/** `null` while unknown, `"none"` when no user is signed in. */
export const session = Atom.keepAlive(Atom.make<Session | "none" | null>(null))

/** Whether the session has ended while the page was in use. The page then asks for the key and keeps what was typed. */
export const isOver = Atom.keepAlive(Atom.make(false))

/** Relative to the page, whose address may have a path. */
const address = "console/session"

/** Where the half of the session's secret is that no cookie has. Tabs share it, and other origins do not see it. */
const kept = "sluice_session"

/** What proves, with the cookie, that this page makes a request. */
export const proof = (): Readonly<Record<string, string>> => {
  const half = localStorage.getItem(kept)
  return half === null ? {} : { "x-sluice-session": half }
}

const isSession = (body: unknown): body is Session =>
  typeof body === "object" && body !== null && "workspace_id" in body && "role" in body

const isOpened = (body: unknown): body is OpenedSession => isSession(body) && "page_secret" in body

const read = async (answer: Response): Promise<unknown> => {
  try {
    return await answer.json()
  } catch {
    return null
  }
}

/** The address that opens an invitation. The token is after the `#`, which browsers send to no server. */
export const invitationLink = (token: string): string => new URL(`.#invitation=${token}`, location.href).href

/** Removes the token of an invitation from the address of the page, and answers it; `null` without one. */
export const takeInvitation = (): string | null => {
  const [, token] = /^#\/?invitation=(inv_\w[\w-]*)$/.exec(location.hash) ?? []
  if (token === undefined) return null
  go("#/", { replace: true })
  return token
}

/** Removes the secret of a sign-in link from the address of the page, and answers it; `null` without one. */
const takeLink = (): string | null => {
  const [, link] = /^#\/?sign-in=([\w-]+)$/.exec(location.hash) ?? []
  if (link === undefined) return null
  go("#/", { replace: true })
  return link
}

/** A sign-in link that is used when the user says so: what is typed after it goes to the workspace of its maker. */
export const offered = Atom.keepAlive(Atom.make<string | null>(null))

/** Whether a page of another origin led here. The service says so where the browser tells it, as it does with HTTPS. */
const isFollowed = (): boolean =>
  document.querySelector('meta[name="followed"]') !== null ||
  (document.referrer !== "" && new URL(document.referrer).origin !== location.origin)

/**
 * Finds out who is signed in. A sign-in link in the address is used at once where nobody is and no other page led here, and
 * is offered otherwise. Answers why the link could not be used.
 */
export const begin = async (): Promise<string | null> => {
  const link = takeLink()
  await look()
  if (link === null) return null
  if (registry.get(session) === "none" && !isFollowed()) return enter({ link })
  registry.set(offered, link)
  return null
}

/** Offers a sign-in link that was opened while the console is open. */
export const offerLink = (): void => {
  const link = takeLink()
  if (link !== null) registry.set(offered, link)
}

const look = async (): Promise<void> => {
  const body = await fetch(address, { headers: proof() }).then(read, () => null)
  registry.set(session, isSession(body) ? body : "none")
}

/**
 * Finds out whether the session has ended: the service can be reached and does not know the session. An answer about a session
 * in whose place another one has begun says nothing.
 */
export const lookForEnd = async (): Promise<boolean> => {
  const asked = localStorage.getItem(kept)
  const answer = await fetch(address, { headers: proof() }).catch(() => null)
  const isUnknown = answer?.ok === true && !isSession(await read(answer))
  const hasEnded = isUnknown && localStorage.getItem(kept) === asked
  if (hasEnded) registry.set(isOver, true)
  return hasEnded
}

/** Signs in. Answers the reason when that failed, else `null`. */
export const enter = async (
  credential: { readonly key: string } | { readonly link: string }
): Promise<string | null> => {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", ...proof() },
    body: JSON.stringify(credential)
  }).catch(() => null)
  if (answer === null) return "The service cannot be reached"
  const body = await read(answer)
  if (answer.ok && isOpened(body)) {
    localStorage.setItem(kept, body.page_secret)
    const before = registry.get(session)
    const isOther = before !== null && before !== "none" && before.user_id !== body.user_id
    // Data of the previous user must not stay on the page.
    if (isOther) location.reload()
    registry.set(session, body)
    registry.set(isOver, false)
    return null
  }
  return typeof body === "object" && body !== null && "message" in body
    ? String(body.message)
    : `The service answered ${answer.status}`
}

/** Signs out and reloads the page, so that no data of the session stays in its memory. */
export const leave = async (): Promise<void> => {
  await fetch(address, { method: "DELETE", headers: proof() }).catch(() => null)
  localStorage.removeItem(kept)
  location.hash = "#/"
  location.reload()
}

/** Whether the session signed in a short time ago, so that it may make keys and invitations. */
export const isFresh = (): boolean => {
  const now = registry.get(session)
  return now !== null && now !== "none" && Date.parse(now.fresh_until) > Date.now()
}

/** The workspace of the signed-in user; empty without one. */
export const ownWorkspaceId = (): string => {
  const now = registry.get(session)
  return now === null || now === "none" ? "" : now.workspace_id
}

/** The name of a user in a sentence: a part of the id, or `you`. */
export const whoIs = (userId: string): string => {
  const now = registry.get(session)
  if (now !== null && now !== "none" && now.user_id === userId) return "you"
  return /^[0-9a-f-]{36}$/.test(userId) ? `user ${userId.slice(-8)}` : userId
}

const ranks = ["Viewer", "Member", "Owner"]

/** Whether the signed-in user has at least a role. */
export const may = (role: "Viewer" | "Member" | "Owner"): boolean => {
  const now = registry.get(session)
  return now !== null && now !== "none" && ranks.indexOf(now.role) >= ranks.indexOf(role)
}
