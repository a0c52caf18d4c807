/**
 * The sign-in of the demo site: sessions, single-use codes, and a limit on wrong codes.
 */
import { randomBytes, randomInt } from "node:crypto"
import { HOTP, Secret, TOTP } from "otpauth"
import type { Channel, DemoUser, SecondFactor } from "./DemoUsers.ts"

/** A message of the site to a user. */
export interface Message {
  readonly demoUser: DemoUser
  readonly by: Channel
  /** The code, or the address of the link. */
  readonly secret: string
}

/** The sign-in state of a user. */
export type SignInState =
  | { readonly _tag: "signedOut" }
  | { readonly _tag: "secondFactor"; readonly second: SecondFactor }
  | { readonly _tag: "signedIn" }

interface Session {
  readonly demoUser: DemoUser
  inside: boolean
  failures: number
  /** The code or the ticket of the link that was sent to this session; empty without one, and after its use. */
  expected: string
}

const maxSessions = 1_000
const maxFailures = 5
const lookAhead = 5

export class SignIn {
  readonly #sessions = new Map<string, Session>()
  /** The used time steps, by secret. */
  readonly #steps = new Map<string, Set<number>>()
  readonly #counters = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Begins a session for a user with the right password, and returns the message to send, if any. */
  begin(demoUser: DemoUser, origin: string): { readonly session: string; readonly message: Message | null } {
    const id = randomBytes(16).toString("hex")
    const session: Session = { demoUser, inside: demoUser.second === null, failures: 0, expected: "" }
    this.#sessions.set(id, session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest)
    return { session: id, message: this.#send(session, origin) }
  }

  /** Makes a new code or link for the session. The previous one becomes invalid. */
  again(id: string, origin: string): Message | null {
    const session = this.#sessions.get(id)
    return session === undefined ? null : this.#send(session, origin)
  }

  #send(session: Session, origin: string): Message | null {
    const { second } = session.demoUser
    if (second?._tag === "sent") {
      session.expected = String(randomInt(1_000_000)).padStart(6, "0")
      return { demoUser: session.demoUser, by: second.by, secret: session.expected }
    }
    if (second?._tag === "link") {
      session.expected = randomBytes(24).toString("base64url")
      return { demoUser: session.demoUser, by: "mail", secret: `${origin}/enter?ticket=${session.expected}` }
    }
    return null
  }

  standing(id: string | null): SignInState {
    const session = id === null ? undefined : this.#sessions.get(id)
    if (session === undefined) return { _tag: "signedOut" }
    const { second } = session.demoUser
    return session.inside || second === null ? { _tag: "signedIn" } : { _tag: "secondFactor", second }
  }

  /**
   * Checks a code or the ticket of a link, and returns whether it was right. After five wrong ones the session ends.
   */
  enter(id: string, typed: string): boolean {
    const session = this.#sessions.get(id)
    if (session === undefined) return false
    session.inside = session.inside || this.#isRight(session, typed)
    if (!session.inside && ++session.failures >= maxFailures) this.#sessions.delete(id)
    return session.inside
  }

  #isRight(session: Session, typed: string): boolean {
    const { second } = session.demoUser
    if (second?._tag !== "app") {
      const right = session.expected !== "" && typed === session.expected
      if (right) session.expected = ""
      return right
    }
    const secret = Secret.fromBase32(second.secret)
    if (second.counts) {
      const counter = this.#counters.get(second.secret) ?? 0
      const delta = new HOTP({ secret, counter }).validate({ token: typed, counter, window: lookAhead })
      if (delta === null || delta < 0) return false
      this.#counters.set(second.secret, counter + delta + 1)
      return true
    }
    const timestamp = this.#now()
    const delta = new TOTP({ secret }).validate({ token: typed, timestamp, window: 1 })
    if (delta === null) return false
    const step = Math.floor(timestamp / 30_000) + delta
    const used = this.#steps.get(second.secret) ?? new Set()
    if (used.has(step)) return false
    this.#steps.set(second.secret, used.add(step))
    return true
  }

  leave(id: string): void {
    this.#sessions.delete(id)
  }
}
