/**
 * The users of the demo site, and the second factor of each. The site protects nothing real.
 */

/** The second factor of a user; `null` when the password is enough. */
export type SecondFactor =
  /** A code of an authenticator app: time-based or counter-based. */
  | { readonly _tag: "app"; readonly secret: string; readonly counts: boolean }
  /** A code that is sent: by mail, by text message, or spoken to a person. */
  | { readonly _tag: "sent"; readonly by: Channel }
  /** A link that is mailed. */
  | { readonly _tag: "link" }

export type Channel = "mail" | "text" | "person"

export interface DemoUser {
  readonly user: string
  readonly password: string
  readonly second: SecondFactor | null
}

export const demoUsers = {
  clerk: { user: "clerk@marlow.example", password: "tide-and-timber", second: null },
  controller: {
    user: "controller@marlow.example",
    password: "keel-and-canvas",
    second: { _tag: "app", secret: "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U", counts: false }
  },
  auditor: {
    user: "auditor@marlow.example",
    password: "rope-and-resin",
    second: { _tag: "app", secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", counts: true }
  },
  buyer: { user: "buyer@marlow.example", password: "hull-and-harbour", second: { _tag: "sent", by: "mail" } },
  driver: { user: "driver@marlow.example", password: "winch-and-wharf", second: { _tag: "sent", by: "text" } },
  partner: { user: "partner@marlow.example", password: "brine-and-beacon", second: { _tag: "link" } },
  owner: { user: "owner@marlow.example", password: "gale-and-gunwale", second: { _tag: "sent", by: "person" } }
} as const satisfies Readonly<Record<string, DemoUser>>
