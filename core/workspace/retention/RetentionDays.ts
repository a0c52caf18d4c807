/** The number of days for which a workspace keeps each kind of data of its runs. */
import { Context, Schema } from "effect"

/** Whole runs, and the parts of runs that may be removed earlier. */
export const Kind = Schema.Literals(["runs", "events", "deliveries", "errors", "decisions", "artifacts", "starts"])
export type Kind = typeof Kind.Type

/** The parts to which the installation's limit for artifacts also applies. */
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

/** The settings of the workspace. A kind without a number has the value of the installation. */
export const OwnDays = Schema.Struct(each(Schema.optionalKey(Schema.Int)))
export type OwnDays = typeof OwnDays.Type

/** Days after the end of a run; `null`: without limit. */
export type Days = Readonly<Record<Kind, number | null>>

/** The settings of the installation: the default of each workspace, and its upper bound. */
export interface Installation {
  /** For artifacts, snapshots, network logs and decisions of models. */
  readonly artifacts: number | null
  /** For whole runs. */
  readonly runs: number | null
}

/** The settings of this installation. */
export const InstallationRetention: Context.Reference<Installation> = Context.Reference(
  "sluice/core/workspace/retention/InstallationRetention",
  { defaultValue: (): Installation => ({ artifacts: null, runs: null }) }
)

/** The maximum of the installation for a kind; `null` for none. */
export const boundOf = (kind: Kind, { artifacts, runs }: Installation): number | null =>
  artifactKinds.has(kind) ? least(artifacts, runs) : runs

/**
 * The effective days. No part is kept longer than its run. Deliveries and starts are not kept longer than the events of
 * the run, because redelivery and verification read these events.
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

/** The settings after a change: a number sets a kind, `null` resets it to the value of the installation. */
export const changed = (before: OwnDays, changes: Partial<Days>): OwnDays => {
  const after: { -readonly [K in Kind]?: number } = {}
  for (const kind of Kind.literals) {
    const days = changes[kind] === undefined ? before[kind] : changes[kind]
    if (days != null) after[kind] = days
  }
  return after
}

/** A problem for each changed kind above the maximum of the installation. */
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
