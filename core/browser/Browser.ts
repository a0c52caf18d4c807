/**
 * The browser port of the agent: the actions of a person at a page, in four interfaces.
 *
 * Every verb is bounded in time.
 */
import { Context, type Effect, type Scope } from "effect"
import type { Elements } from "./Elements.ts"
import type { Navigation } from "./Navigation.ts"
import type { Observation } from "./Observation.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { Session } from "./Session.ts"
import type { Vision } from "./Vision.ts"

/** One isolated session: its own cookies and storage, shared with no other run. Its verbs act on the active tab. */
export interface BrowserSession {
  readonly navigation: Navigation
  readonly elements: Elements
  readonly vision: Vision
  readonly observation: Observation
}

/** The ports of a session, by their names. */
export type Port = keyof BrowserSession

/** The parts of a session that a function needs. */
export type SessionParts<P extends Port> = Pick<BrowserSession, P>

export class Browser extends Context.Service<
  Browser,
  {
    /**
     * Opens an isolated session with an empty page and the given initial state only. A cookie that browsers do not
     * accept is omitted. When the scope closes, all state of the session is deleted.
     */
    readonly open: (session: Session) => Effect.Effect<BrowserSession, PageFailure, Scope.Scope>
  }
>()("sluice/core/browser/Browser") {}
