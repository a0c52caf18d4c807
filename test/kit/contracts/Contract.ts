/**
 * What a contract is: the promises of a port, each an Effect that fails when an implementation breaks it. A test runner
 * of any kind can run them.
 *
 * **Example** (A contract in a test runner)
 *
 * ```ts
 * import { Effect } from "effect"
 * import * as Memory from "@sluice/core/memory"
 * import * as StoreContract from "@sluice/testing/stores"
 * import * as Contract from "@sluice/testing/contract"
 *
 * const titles: Array<string> = []
 * const it = (title: string, test: () => Promise<void>) => { titles.push(title) }
 *
 * Contract.register(it, StoreContract.promises, (promise) => Effect.provide(promise, Memory.layer))
 * titles.includes("know nothing of runs and workflows of another workspace") // => true
 * ```
 */
import { Cause, Context, Effect, Exit } from "effect"
import { PromiseBroken } from "./Assertions.ts"

export type { PromiseBroken } from "./Assertions.ts"

/** A promise of a port: its title, and the Effect that fails when the promise is broken. */
export interface ContractPromise<Needs> {
  readonly title: string
  /** Succeeds when the implementation in its context keeps the promise. */
  readonly keeps: Effect.Effect<void, unknown, Needs>
}

/** A promise that was broken, and how. */
export interface BrokenPromise {
  readonly title: string
  readonly reason: string
}

/** Makes a promise. The result of the test is ignored. */
export const promise = <A, E, Needs>(title: string, test: Effect.Effect<A, E, Needs>): ContractPromise<Needs> => ({
  title,
  keeps: Effect.asVoid(test)
})

/**
 * For how long a promise waits for what it expects to end, in milliseconds by the clock of the runtime: 120,000 unless a
 * program provides another number. It says nothing about speed, and only bounds how soon something that hangs is found.
 */
export const Patience = Context.Reference<number>("sluice/test/kit/contracts/Patience", {
  defaultValue: () => 120_000
})

/** Waits for an effect, which `what` names. Where it hangs, the promise is broken. */
export const ends = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | PromiseBroken, R> =>
  Effect.flatMap(Patience, (millis) =>
    Effect.timeoutOrElse(effect, {
      duration: millis,
      orElse: () => Effect.fail(new PromiseBroken(`expected an end of ${what}, got none in ${millis} ms`))
    })
  )

/**
 * Gives each promise to a function such as `it` of a test runner. `provide` gives a promise the implementation that is
 * tested; it is called once for each promise, so that each can have a new one.
 */
export const register = <Needs, E>(
  it: (title: string, test: () => Promise<void>) => unknown,
  promises: ReadonlyArray<ContractPromise<Needs>>,
  provide: (keeps: Effect.Effect<void, unknown, Needs>) => Effect.Effect<void, E>
): void => {
  for (const { keeps, title } of promises) it(title, () => Effect.runPromise(provide(keeps)))
}

/** The promises that an implementation breaks, each with its reason; empty if it keeps all. */
export const broken = <Needs, E, Left>(
  promises: ReadonlyArray<ContractPromise<Needs>>,
  provide: (keeps: Effect.Effect<void, unknown, Needs>) => Effect.Effect<void, E, Left>
): Effect.Effect<ReadonlyArray<BrokenPromise>, never, Left> =>
  Effect.map(
    Effect.forEach(promises, ({ keeps, title }) =>
      Effect.map(Effect.exit(provide(keeps)), (exit) => ({ title, exit }))
    ),
    (all) =>
      all.flatMap(({ exit, title }) => (Exit.isSuccess(exit) ? [] : [{ title, reason: Cause.pretty(exit.cause) }]))
  )
