/**
 * The location of a session, and the files and responses of its site: addresses, tabs, dialogs, cookies, downloads and
 * requests.
 */
import type { Effect, Redacted, Scope } from "effect"
import type { Passkey } from "../vault/passkey/Passkey.ts"
import type { Settles } from "./element/Settling.ts"
import type { Downloading } from "./file/DownloadPorts.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { Remark } from "./Remark.ts"
import type { Requests } from "./Requests.ts"
import type { Tabs } from "./Tabs.ts"

/** The maximum length of a document that is read at once, in characters: reading blocks the process. */
export const maxHtml = 5_000_000

/** The name and password that one origin gets by HTTP authentication. No other origin gets them. */
export interface HttpCredential {
  readonly origin: string
  readonly userName: Redacted.Redacted<string>
  readonly password: Redacted.Redacted<string>
}

/** Called when a page uses a virtual authenticator. */
export interface Authenticator {
  /** Executed after a page was signed in to with the passkey. */
  readonly signed: Effect.Effect<void>
  /** The passkey that a page has made. */
  readonly made: Effect.Effect<Passkey>
}

export interface Navigation extends Tabs, Downloading, Requests, Settles {
  /** Loads an address, and waits for its document. A failure says why it was not loaded. */
  readonly goto: (url: string) => Effect.Effect<void, PageFailure>
  /** Goes back by one page, where there is one. */
  readonly back: Effect.Effect<void, PageFailure>
  /**
   * The address of the document of the page, where it was asked for by GET and its server asks for a name and a
   * password by HTTP authentication (Basic or Digest). `null` otherwise.
   */
  readonly challenge: Effect.Effect<string | null>
  /** From now on, answers HTTP authentication of an origin in this session with these credentials. */
  readonly authenticate: (credential: HttpCredential) => Effect.Effect<void, PageFailure>
  /**
   * An authenticator for the active tab and the tabs that it opens, until the scope closes. It holds a passkey, or none
   * for a site that creates one. It always confirms that a person is present.
   */
  readonly authenticator: (passkey: Passkey | null) => Effect.Effect<Authenticator, PageFailure, Scope.Scope>
  /** The address of the page, also when it has crashed. */
  readonly address: Effect.Effect<string>
  /**
   * The whole document as HTML, without scripts and styles when `sanitized`. It fails for one that has more than `maxHtml`
   * characters.
   */
  readonly html: (options: { readonly sanitized: boolean }) => Effect.Effect<string, PageFailure>
  /** Deletes all cookies of the session. */
  readonly clearCookies: Effect.Effect<void, PageFailure>
  /** What the browser did beside the acts since this was last asked. */
  readonly remarks: Effect.Effect<ReadonlyArray<Remark>>
  /** The hosts, with their port, that the tabs of the session have been on. */
  readonly visited: Effect.Effect<ReadonlySet<string>>
}
