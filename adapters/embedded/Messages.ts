/** The messages between the process of an embedded database and the one that started it. */

/** The location of the database, and the initial content of a new one. */
export interface Place {
  /** The folder of its files; `null` for a database in memory. */
  readonly folder: string | null
  /** A dump of a data folder from which a new database is made; `null` for an empty one. */
  readonly template: string | null
}

/** A message to the database. `connection` is the number of a connection; each begins with its startup message. */
export type Order =
  /** The first one. */
  | { readonly _tag: "Open"; readonly place: Place }
  | { readonly _tag: "Sent"; readonly connection: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly _tag: "Left"; readonly connection: number }
  | { readonly _tag: "Close" }

/** A message from the database. `NotOpened`, `Closed` and `Lost` are the last ones. */
export type Report =
  | { readonly _tag: "Opened" }
  | { readonly _tag: "NotOpened"; readonly reason: string }
  | { readonly _tag: "Answered"; readonly connection: number; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The database has ended the connection; a `reason` says that it refused it. */
  | { readonly _tag: "Ended"; readonly connection: number; readonly reason: string | null }
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Lost"; readonly reason: string }
