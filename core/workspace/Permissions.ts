/** Checks the permissions of callers within the services, so that the check does not depend on the entry point. */
import { Effect } from "effect"
import { type Ability, allows, type Caller, permits, RoleForbids } from "./Workspace.ts"

/** A caller, or an operator at the command line of the installation, who is not a user of the workspace. */
export type Acting = Pick<Caller, "workspaceId" | "role"> & Partial<Pick<Caller, "userId" | "keyId" | "scopes">>

/** Fails with `RoleForbids` unless the role of the caller, and the scopes of its key, include the ability. */
export const require = (
  { role, scopes }: Pick<Caller, "role"> & Partial<Pick<Caller, "scopes">>,
  ability: Ability
): Effect.Effect<void, RoleForbids> => {
  if (!allows(role, ability)) return Effect.fail(new RoleForbids({ role, ability }))
  return scopes === undefined || permits({ role, scopes }, ability)
    ? Effect.void
    : Effect.fail(new RoleForbids({ role, ability, scopes }))
}

/** A method that acts for its first argument. */
type Acts = (caller: never, ...rest: ReadonlyArray<never>) => Effect.Effect<unknown, unknown, unknown>

type CallerOf<M> = M extends (caller: infer C, ...rest: ReadonlyArray<never>) => unknown ? C : never

/** A method that can fail with `RoleForbids` needs an ability above `read`, and the reverse. */
type AbilityFor<M> = M extends (...args: ReadonlyArray<never>) => Effect.Effect<unknown, infer E, unknown>
  ? RoleForbids extends E
    ? Exclude<Ability, "read">
    : "read"
  : never

/** The ability that each method needs, for the methods of a service that take a caller. */
export type Needs<S> = {
  readonly [K in keyof S as S[K] extends Acts
    ? CallerOf<S[K]> extends Pick<Caller, "role">
      ? K
      : never
    : never]: AbilityFor<S[K]>
}

/** Makes each method of a service fail with `RoleForbids` if its caller lacks the ability that the method needs. */
export const checked =
  <S extends object>(needs: Needs<NoInfer<S>>) =>
  <E, R>(service: Effect.Effect<S, E, R>): Effect.Effect<S, E, R> =>
    Effect.map(service, (methods) => {
      // The type of `needs` admits the methods that take a caller first.
      const own = methods as Readonly<Record<string, (caller: Caller, ...rest: ReadonlyArray<unknown>) => unknown>>
      // As above.
      const guarded = Object.entries(needs as Readonly<Record<string, Ability>>).map(([name, ability]) => [
        name,
        (caller: Caller, ...rest: ReadonlyArray<unknown>) =>
          permits(caller, ability) ? own[name]?.(caller, ...rest) : require(caller, ability)
      ])
      return { ...methods, ...Object.fromEntries(guarded) }
    })
