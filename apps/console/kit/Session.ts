/** Who is signed in at this browser. */
import { Atom } from "effect/reactivity"
import type { Session } from "../../api/console/SessionRoutes.ts"
import { registry } from "./Registry.ts"
import { go } from "./Route.ts"

/** `null` while it is not known, `"none"` when nobody is signed in. */
export const session = Atom.keepAlive(Atom.make<Session | "none" | null>(null))

/** Whether the session has ended while the page was in use, which then asks for the key and keeps what was typed. */
export const isOver = Atom.keepAlive(Atom.make(false))

/** Beside the page, which may stand under a path of its host. */
const address = "console/session"

const isSession = (body: unknown): body is Session =>
  typeof body === "object" && body !== null && "workspace_id" in body && "role" in body

const read = async (answer: Response): Promise<unknown> => {
  try {
    return await answer.json()
  } catch {
    return null
  }
}

/** The address that opens an invitation. The token stands behind the `#`, which browsers send to no server. */
export const invitationLink = (token: string): string => new URL(`.#invitation=${token}`, location.href).href

/** The token of the invitation that the address of the page has, which is removed from it; `null` without one. */
export const takeInvitation = (): string | null => {
  const [, token] = /^#\/?invitation=(inv_\w[\w-]*)$/.exec(location.hash) ?? []
  if (token === undefined) return null
  go("#/", { replace: true })
  return token
}

/** The secret of the sign-in link that the address of the page has, which is removed from it; `null` without one. */
const takeLink = (): string | null => {
  const [, link] = /^#\/?sign-in=([\w-]+)$/.exec(location.hash) ?? []
  if (link === undefined) return null
  go("#/", { replace: true })
  return link
}

/**
 * Finds out who is signed in. A sign-in link in the address is used up first. Answers why it could not be used, for a
 * page on which no person is signed in.
 */
export const begin = async (): Promise<string | null> => {
  const link = takeLink()
  const problem = link === null ? null : await enter({ link })
  if (link !== null && problem === null) return null
  await look()
  return registry.get(session) === "none" ? problem : null
}

/** Uses up a sign-in link that was opened where the console is open already. Answers as `enter` does; `null` without one. */
export const enterByLink = async (): Promise<string | null> => {
  const link = takeLink()
  return link === null ? null : enter({ link })
}

const look = async (): Promise<void> => {
  const body = await fetch(address).then(read, () => null)
  registry.set(session, isSession(body) ? body : "none")
}

/** Finds out whether the session has ended: the service answers, and does not know it. */
export const lookForEnd = async (): Promise<boolean> => {
  const answer = await fetch(address).catch(() => null)
  const hasEnded = answer?.ok === true && !isSession(await read(answer))
  if (hasEnded) registry.set(isOver, true)
  return hasEnded
}

/** Signs in; answers why that failed, or `null`. */
export const enter = async (
  credential: { readonly key: string } | { readonly link: string }
): Promise<string | null> => {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(credential)
  }).catch(() => null)
  if (answer === null) return "The service cannot be reached"
  const body = await read(answer)
  if (answer.ok && isSession(body)) {
    const before = registry.get(session)
    const isOther = before !== null && before !== "none" && before.user_id !== body.user_id
    // What another user read and typed must not stay on the page.
    if (isOther) location.reload()
    registry.set(session, body)
    registry.set(isOver, false)
    return null
  }
  return typeof body === "object" && body !== null && "message" in body
    ? String(body.message)
    : `The service answered ${answer.status}`
}

/** Signs out. The page is loaded again, so that nothing of the session stays in its memory. */
export const leave = async (): Promise<void> => {
  await fetch(address, { method: "DELETE" }).catch(() => null)
  location.hash = "#/"
  location.reload()
}

/** The workspace of the person who is signed in; empty when no person is. */
export const ownWorkspaceId = (): string => {
  const now = registry.get(session)
  return now === null || now === "none" ? "" : now.workspace_id
}

/** A user as a sentence names them: by a part of their id, or as the one who reads it. */
export const whoIs = (userId: string): string => {
  const now = registry.get(session)
  if (now !== null && now !== "none" && now.user_id === userId) return "you"
  return /^[0-9a-f-]{36}$/.test(userId) ? `user ${userId.slice(-8)}` : userId
}

const ranks = ["Viewer", "Member", "Owner"]

/** Whether the person who is signed in has at least a role. */
export const may = (role: "Viewer" | "Member" | "Owner"): boolean => {
  const now = registry.get(session)
  return now !== null && now !== "none" && ranks.indexOf(now.role) >= ranks.indexOf(role)
}
