/**
 * Workspaces and the permissions of their roles. A workspace owns workflows and runs; an API key acts for a user of the
 * workspace in a role.
 */
import { Schema } from "effect"
import type { UserId, WorkspaceId } from "./Ids.ts"
import type { OwnDays } from "./retention/RetentionDays.ts"

/** Roles from the least to the most able: a Viewer reads, a Member also edits and starts, an Owner also manages keys. */
export const Role = Schema.Literals(["Viewer", "Member", "Owner"])
export type Role = typeof Role.Type

/** The abilities that roles grant. `run` is to start runs, to stop them, and to answer what they ask. */
export const Ability = Schema.Literals(["read", "run", "edit", "manage"])
export type Ability = typeof Ability.Type

/**
 * The abilities that a key may be restricted to, from the least to the most. Each includes those before it; a restricted
 * key never manages.
 */
export const Scope = Schema.Literals(["read", "run", "edit"])
export type Scope = typeof Scope.Type

export interface Workspace {
  readonly id: WorkspaceId
  readonly name: string
  readonly createdAt: number
  /** Maximum time that a run waits before it is stopped, in milliseconds; `null` for no limit. */
  readonly waitingTtlMillis: number | null
  /** How long a run waits for corrected inputs, in seconds: from 5 to 300. */
  readonly inputRequiredTimeoutSeconds: number
  /** How long the signed addresses of files, screenshots and videos work, in seconds: from an hour to seven days. */
  readonly signedUrlTtlSeconds: number
  /** The retention of data of runs, in days, where it differs from that of the installation. */
  readonly retentionDays?: OwnDays
  /** Whether the workspace was created with the installation. Its Owners may create further workspaces. */
  readonly founding?: true
}

/** Default time that a run waits for corrected inputs, in seconds. */
export const defaultInputRequiredTimeoutSeconds = 15

/** The allowed wait for corrected inputs that is nearest to the requested one, in seconds. */
export const clampInputRequiredTimeout = (seconds: number): number => Math.min(Math.max(seconds, 5), 300)

/** Bounds of the lifetime of signed addresses, in seconds. The default is the maximum. */
export const signedUrlTtlSeconds = { minimum: 3_600, maximum: 604_800 } as const

/** How long an invitation can be accepted, in seconds. */
export const invitationSeconds = { minimum: 60, default: 604_800, maximum: 2_592_000 } as const

/** The authenticated origin of a request. */
export interface Caller {
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly role: Role
  /** The API key of the request, if any. */
  readonly keyId?: string
  /** The scopes of the key, which restrict the abilities of its role. */
  readonly scopes?: ReadonlyArray<Scope>
  /** Whether a person is signed in to the console with that key. */
  readonly signedIn?: true
}

/** The key of a program that asks for itself; `null` for a person who is signed in to the console. */
export const programKeyOf = ({ keyId, signedIn }: Pick<Caller, "keyId" | "signedIn">): string | null =>
  signedIn === true ? null : (keyId ?? null)

/** Raised when the role or the scopes of a key lack an ability. */
export class RoleForbids extends Schema.TaggedError<RoleForbids>()("RoleForbids", {
  role: Role,
  ability: Ability,
  /** The scopes of the key, if these forbid the ability although the role allows it. */
  scopes: Schema.optionalKey(Schema.Array(Scope))
}) {
  override get message() {
    if (this.scopes !== undefined)
      return `Cannot ${this.ability} with a key of the scopes ${this.scopes.join(", ")}: ${
        this.ability === "manage" ? "a key without scopes" : `the scope ${this.ability} or higher`
      } is needed`
    return `Cannot ${this.ability} with the role ${this.role}: the role ${weakest[this.ability]} or higher is needed`
  }
}

const weakest: Record<Ability, Role> = { read: "Viewer", run: "Member", edit: "Member", manage: "Owner" }

/** Returns whether `role` includes `ability`. Every role includes the abilities of the weaker ones. */
export const allows = (role: Role, ability: Ability): boolean => rank(role) >= rank(weakest[ability])

/** Returns whether the role of a key includes the ability, and its scopes, if any, do. */
export const permits = ({ role, scopes }: Pick<Caller, "role" | "scopes">, ability: Ability): boolean =>
  allows(role, ability) && (scopes === undefined || scopes.some((scope) => includes(scope, ability)))

const includes = (scope: Scope, ability: Ability): boolean =>
  Ability.literals.indexOf(scope) >= Ability.literals.indexOf(ability)

const rank = (role: Role): number => Role.literals.indexOf(role)
