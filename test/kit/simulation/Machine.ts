/**
 * A process of a simulation, and what befalls it: it is frozen, killed, cut off from the store, or its clock is wrong.
 *
 * Everything that reaches out of the process passes here. A frozen process waits at that point and continues later; a killed
 * one never comes back from it.
 */
import { Clock, Effect } from "effect"
import * as StoreUnavailable from "../../../core/runtime/StoreUnavailable.ts"
import type { VirtualTime } from "./VirtualTime.ts"

/** A mishap that strikes at an operation of the store, when the process has asked for it so many times more. */
export interface Trap {
  readonly operation: string
  readonly after: number
  /** Whether it strikes when that operation is asked for, or when it was carried out and its answer is on the way. */
  readonly when: "asked" | "carriedOut"
  readonly strike: () => void
  /** The answer of the operation does not arrive. */
  readonly losesAnswer: boolean
}

export interface Machine {
  readonly name: string
  readonly clock: Clock.Clock
  /** By how much its clock is ahead, in milliseconds. */
  skew: number
  /** No signal reaches it. */
  deaf: boolean
  readonly isDead: () => boolean
  /** An effect on the world outside. */
  readonly act: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** An operation of the store, by the clock of the store. */
  readonly ask: <A, E, R>(
    operation: string,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StoreUnavailable.StoreUnavailable, R>
  readonly set: (trap: Trap) => void
  readonly freeze: () => void
  readonly thaw: () => void
  readonly kill: () => void
}

/** The network between the processes and the store. */
export interface Network {
  isDown: boolean
}

const away = new StoreUnavailable.StoreUnavailable({ reason: "the simulation has cut the connection" })

export const make = (name: string, time: VirtualTime, storeClock: Clock.Clock, network: Network): Machine => {
  let state: "running" | "frozen" | "dead" = "running"
  let parked: Array<() => void> = []
  let traps: Array<Trap> = []

  /** Continues when the process runs. */
  const pass = (resume: () => void) => {
    if (state === "running") resume()
    else if (state === "frozen") parked.push(resume)
  }

  const running = Effect.suspend(() =>
    state === "running" ? Effect.void : Effect.callback<void>((resume) => pass(() => resume(Effect.void)))
  )

  /** The traps that strike at this operation. */
  const sprung = (operation: string): ReadonlyArray<Trap> => {
    const meant = traps.filter((trap) => trap.operation === operation)
    if (meant.length === 0) return meant
    traps = traps.flatMap((trap) => {
      if (trap.operation !== operation) return [trap]
      return trap.after === 0 ? [] : [{ ...trap, after: trap.after - 1 }]
    })
    return meant.filter(({ after }) => after === 0)
  }

  const act = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.andThen(running, effect)

  const ask = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const struck = sprung(operation)
      const strike = (now: Trap["when"]) => {
        for (const { strike, when } of struck) if (when === now) strike()
      }
      strike("asked")
      const carriedOut = act(
        Effect.suspend(
          (): Effect.Effect<A, E | StoreUnavailable.StoreUnavailable, R> =>
            network.isDown ? Effect.fail(away) : Effect.provideService(effect, Clock.Clock, storeClock)
        )
      )
      if (struck.length === 0) return carriedOut
      const isLost = struck.some(({ losesAnswer }) => losesAnswer)
      return carriedOut.pipe(
        Effect.tap(() =>
          Effect.andThen(
            Effect.sync(() => strike("carriedOut")),
            running
          )
        ),
        Effect.flatMap((answer) => (isLost ? Effect.fail(away) : Effect.succeed(answer)))
      )
    })

  const machine: Machine = {
    name,
    clock: time.clockOf({ polls: true, skew: () => machine.skew, wake: pass }),
    skew: 0,
    deaf: false,
    isDead: () => state === "dead",
    act,
    ask,
    set: (trap) => void traps.push(trap),
    freeze: () => {
      if (state === "running") state = "frozen"
    },
    thaw: () => {
      if (state !== "frozen") return
      state = "running"
      const waiting = parked
      parked = []
      for (const resume of waiting) pass(resume)
    },
    kill: () => {
      state = "dead"
      parked = []
    }
  }
  return machine
}

/** Every operation of a store, as this process asks for it. */
export const asking = <S extends object>({ ask }: Pick<Machine, "ask">, store: S): S =>
  Object.fromEntries(
    Object.entries(store).map(([name, member]: readonly [string, unknown]) => [
      name,
      Effect.isEffect(member)
        ? ask(name, member)
        : typeof member === "function"
          ? (...args: ReadonlyArray<unknown>) =>
              ask(
                name,
                Effect.suspend(() => member(...args))
              )
          : member
    ])
    // Each member keeps its type: the operations of stores may all fail as the network does.
  ) as S
