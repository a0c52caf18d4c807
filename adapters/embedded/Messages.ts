/**
 * What the thread of an embedded database and the thread that started it say to each other.
 */

/** Where the database is, and what a new one begins with. */
export interface Place {
  /** The folder of its files; `null`: it lives in memory. */
  readonly folder: string | null
  /** A dump of a data folder that a new database is made from; `null`: it is empty. */
  readonly template: string | null
}

/** What the database is asked. `connection` is the number of a connection; each begins with its startup message. */
export type Order =
  | { readonly _tag: "Sent"; readonly connection: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly _tag: "Left"; readonly connection: number }
  | { readonly _tag: "Close" }

/** What the database answers. After `NotOpened`, `Closed` and `Lost` it says nothing more. */
export type Report =
  | { readonly _tag: "Opened" }
  | { readonly _tag: "NotOpened"; readonly reason: string }
  | { readonly _tag: "Answered"; readonly connection: number; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The database has ended the connection; a `reason` says that it refused it. */
  | { readonly _tag: "Ended"; readonly connection: number; readonly reason: string | null }
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Lost"; readonly reason: string }
