/**
 * A circuit breaker: what is down is not called, and delays no other deliveries.
 *
 * ```
 *   closed -- 5 failures in a row --> open -- cool-down over --> half-open: one probe
 *      ^                               ^                             |      |
 *      |                               '------ fails, twice as long -'      |
 *      '------------------------------------------------------ succeeds ----'
 * ```
 *
 * Each process keeps its own. A refused delivery is postponed, each to a different instant, so that they do not return all
 * at once.
 */

export interface Circuit {
  /** Failures since the last success. */
  readonly failures: number
  /** The instant until which nothing is sent; `null` while closed. */
  readonly openUntil: number | null
  /** How long it was opened for last, in milliseconds. */
  readonly coolDown: number
  /** How many attempts are in progress. */
  readonly inFlight: number
  /** How long the last attempt took, in milliseconds. */
  readonly pace: number
  /** The latest instant that a delivery was postponed to. */
  readonly bookedUntil: number
  /** The instant until which the receiver asked to be left alone. */
  readonly restsUntil: number
  /** The instant of the last result. */
  readonly settledAt: number
}

export type Admission =
  | { readonly _tag: "Admitted"; readonly circuit: Circuit }
  | { readonly _tag: "PutOff"; readonly until: number; readonly circuit: Circuit }

/** The number of consecutive failures that opens a circuit. */
export const threshold = 5

/** The first cool-down and the longest, in milliseconds. */
export const coolDowns = { first: 10_000, longest: 300_000 }

/**
 * A postponed delivery returns no sooner than after this, and no closer to another than the second, in milliseconds.
 */
const soonest = 1_000
const closest = 20

export const closed: Circuit = {
  failures: 0,
  openUntil: null,
  coolDown: coolDowns.first,
  inFlight: 0,
  pace: closest,
  bookedUntil: 0,
  restsUntil: 0,
  settledAt: 0
}

/** Asks to make an attempt. At most `bound` are in progress at once, and one while the circuit is half-open. */
export const admit = (circuit: Circuit, now: number, bound: number): Admission => {
  const { inFlight, openUntil, restsUntil } = circuit
  const isFree = openUntil === null ? inFlight < bound : now >= openUntil && inFlight === 0
  if (isFree && now >= restsUntil) return { _tag: "Admitted", circuit: { ...circuit, inFlight: inFlight + 1 } }
  return putOff(circuit, Math.max(openUntil ?? 0, restsUntil), now, bound)
}

/** Postpones an attempt until `from` at least, after those that were postponed before. */
export const putOff = (circuit: Circuit, from: number, now: number, bound: number) => {
  const after = Math.max(now + soonest, from, circuit.bookedUntil)
  const until = after + Math.max(closest, Math.ceil(circuit.pace / bound))
  return { _tag: "PutOff", until, circuit: { ...circuit, bookedUntil: until } } satisfies Admission
}

/** Makes no attempt before `until`. */
export const resting = (circuit: Circuit, until: number): Circuit => ({
  ...circuit,
  restsUntil: Math.max(circuit.restsUntil, until)
})

/** Records the result of an attempt. */
export const settle = (circuit: Circuit, healthy: boolean, durationMillis: number, now: number): Circuit => {
  const after = { ...released(circuit), pace: durationMillis, settledAt: now }
  if (healthy) return { ...after, failures: 0, openUntil: null, coolDown: coolDowns.first }
  const failures = circuit.failures + 1
  if (circuit.openUntil === null) {
    return failures < threshold
      ? { ...after, failures }
      : { ...after, failures, openUntil: now + coolDowns.first, coolDown: coolDowns.first }
  }
  // Ignore attempts that began before the circuit opened.
  if (now < circuit.openUntil) return { ...after, failures }
  const coolDown = Math.min(circuit.coolDown * 2, coolDowns.longest)
  return { ...after, failures, coolDown, openUntil: now + coolDown }
}

/** Records the end of an attempt that does not show whether the receiver is healthy. */
export const released = (circuit: Circuit): Circuit => ({ ...circuit, inFlight: circuit.inFlight - 1 })

/** Returns whether the state of a receiver can be forgotten: it is healthy, or was not called for long. */
export const isForgettable = (circuit: Circuit, now: number): boolean =>
  circuit.inFlight === 0 &&
  Math.max(circuit.bookedUntil, circuit.restsUntil) <= now &&
  (circuit.failures === 0 || circuit.settledAt + 2 * coolDowns.longest <= now)
