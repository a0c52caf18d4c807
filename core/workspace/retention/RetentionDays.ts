/**
 * For how many days a workspace keeps each kind of what its runs leave behind.
 */
import { Context, Schema } from "effect"

/** Runs with everything of them, and the parts of runs that may be removed earlier. */
export const Kind = Schema.Literals(["runs", "events", "deliveries", "errors", "decisions", "artifacts", "starts"])
export type Kind = typeof Kind.Type

/** The parts that the time of an installation for artifacts bounds as well. */
const artifactKinds: ReadonlySet<Kind> = new Set(["artifacts", "decisions"])

/** One value for each kind. */
const each = <const A>(value: A): Readonly<Record<Kind, A>> => ({
  runs: value,
  events: value,
  deliveries: value,
  errors: value,
  decisions: value,
  artifacts: value,
  starts: value
})

/** What the workspace has set. A kind without a number is kept for as long as the installation says. */
export const OwnDays = Schema.Struct(each(Schema.optionalKey(Schema.Int)))
export type OwnDays = typeof OwnDays.Type

/** Days after the end of a run; `null`: without limit. */
export type Days = Readonly<Record<Kind, number | null>>

/** The settings of the installation: the default of each workspace, and its upper bound. */
export interface Installation {
  /** For artifacts, snapshots, network logs and decisions of models. */
  readonly artifacts: number | null
  /** For runs with everything of them. */
  readonly runs: number | null
}

/** The settings of this installation. */
export const InstallationRetention: Context.Reference<Installation> = Context.Reference(
  "sluice/core/workspace/retention/InstallationRetention",
  { defaultValue: (): Installation => ({ artifacts: null, runs: null }) }
)

/** The bound that the installation sets for a kind; `null` where it sets none. */
export const boundOf = (kind: Kind, { artifacts, runs }: Installation): number | null =>
  artifactKinds.has(kind) ? least(artifacts, runs) : runs

/**
 * The days in force. No part outlives its run. A delivery is sent again from its event, and a start is verified by the
 * events of its run: neither outlives the events.
 */
export const inForce = (own: OwnDays, installation: Installation): Days => {
  const runs = least(own.runs ?? null, installation.runs)
  const events = least(own.events ?? null, runs)
  const artifacts = least(installation.artifacts, runs)
  return {
    runs,
    events,
    deliveries: least(own.deliveries ?? null, events),
    errors: least(own.errors ?? null, runs),
    decisions: least(own.decisions ?? null, artifacts),
    artifacts: least(own.artifacts ?? null, artifacts),
    starts: least(own.starts ?? null, events)
  }
}

/** The values of all kinds, `null` for those that are not set. */
export const own = (days: OwnDays): Days => ({ ...each(null), ...days })

const least = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other)

/** The settings after a change: a number sets a kind, `null` gives it back to the installation. */
export const changed = (before: OwnDays, changes: Partial<Days>): OwnDays => {
  const after: { -readonly [K in Kind]?: number } = {}
  for (const kind of Kind.literals) {
    const days = changes[kind] === undefined ? before[kind] : changes[kind]
    if (days != null) after[kind] = days
  }
  return after
}

/** The kinds of a change that the installation keeps for a shorter time, each with a message at its path. */
export const problemsOf = (changes: Partial<Days>, installation: Installation) =>
  Kind.literals.flatMap((kind) => {
    const [asked, most] = [changes[kind] ?? null, boundOf(kind, installation)]
    return asked === null || most === null || asked <= most
      ? []
      : [
          {
            path: `retention_days.${kind}`,
            message: `Expected at most ${most}, which is what this installation keeps, got ${asked}`
          }
        ]
  })
