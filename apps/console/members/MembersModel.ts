/** The members of a workspace, each with the keys that they and their programs use. */
import type { ApiKeyRecord, WorkspaceRecord } from "../../api/workspace/WorkspacesApi.ts"

type Key = typeof ApiKeyRecord.Type
type Workspace = typeof WorkspaceRecord.Type

export interface MemberLine {
  readonly user: string
  readonly role: string
  /** The keys that are valid now. */
  readonly keys: ReadonlyArray<Key>
  /** When one of the keys was last used; `null` if none ever was. */
  readonly lastUsed: string | null
}

const isValidAt =
  (now: number) =>
  ({ expires_at, revoked_at }: Key): boolean =>
    revoked_at === null && (expires_at === null || Date.parse(expires_at) > now)

const roles = ["Owner", "Member", "Viewer"]

/** Owners first, then the others by their latest use of a key. */
export const linesOf = (
  workspaces: ReadonlyArray<Workspace>,
  workspaceId: string,
  keys: ReadonlyArray<Key>,
  now: number
): ReadonlyArray<MemberLine> =>
  workspaces
    .filter(({ id }) => id === workspaceId)
    .flatMap(({ members }) => members ?? [])
    .map(({ role, user_id: user }) => {
      const own = keys.filter(({ user_id }) => user_id === user)
      const used = own.flatMap(({ last_used_at }) => last_used_at ?? []).toSorted()
      return { user, role, keys: own.filter(isValidAt(now)), lastUsed: used.at(-1) ?? null }
    })
    .toSorted(
      (one, other) =>
        roles.indexOf(one.role) - roles.indexOf(other.role) ||
        (other.lastUsed ?? "").localeCompare(one.lastUsed ?? "") ||
        one.user.localeCompare(other.user)
    )
