/** Checks what a caller may do, for the services that act on behalf of callers. */
import { Effect } from "effect"
import { type Ability, allows, type Caller, RoleForbids } from "./Workspace.ts"

/** Fails with `RoleForbids` unless the role of the caller includes the ability. */
export const require = ({ role }: Pick<Caller, "role">, ability: Ability): Effect.Effect<void, RoleForbids> =>
  allows(role, ability) ? Effect.void : Effect.fail(new RoleForbids({ role, ability }))
