/** The actions of the audit trail: each kind of resource, with the verbs that change it or give access to it. */

const verbs = {
  run_window: ["set", "remove"],
  lift: ["start"],
  pause: ["start", "end"],
  pace: ["set", "remove"],
  workflow: ["create", "save", "delete"],
  component: ["create", "save", "rename", "delete"],
  patch: ["apply", "dismiss"],
  canary: ["start", "promote", "stop", "replace"],
  schedule: ["create", "change", "pause", "resume", "run_now", "delete"],
  run: ["release", "interrupt", "retry", "tag", "approve", "refuse", "delete"],
  subscription: ["create", "change", "delete"],
  limit: ["create", "change", "pause", "resume", "override", "delete"],
  file_destination: ["create", "change", "delete"],
  alert_receiver: ["create", "change", "delete"],
  webhook: ["create", "change", "delete"],
  error_code: ["create", "change", "delete"],
  credential: ["create", "change", "clear_session", "check", "read_code", "open_in_builder", "delete"],
  secret_provider: ["create", "change", "delete"],
  encryption_key: ["rotate", "finish_rotation"],
  key: ["create", "rotate", "revoke", "refuse"],
  invitation: ["create", "accept", "revoke"],
  live_view: ["open", "take_control", "return_control"],
  evidence: ["download", "open"],
  sign_in_link: ["create", "use"],
  console_session: ["start", "end"],
  sign_in: ["fail"],
  model_spending: ["set"],
  settings: ["change"],
  workspace: ["create"],
  test_clock: ["move"]
} as const

type Verbs = typeof verbs

/** A kind of resource whose changes are recorded. */
export type AuditKind = keyof Verbs

/** The kind of a resource and the verb, such as `run_window.set`. */
export type AuditAction = { [K in AuditKind]: `${K}.${Verbs[K][number]}` }[AuditKind]

/** The kind of the resource that an action changes. */
export const kindOf = (action: AuditAction): AuditKind => {
  const [kind] = action.split(".")
  // Every action begins with its kind.
  return kind as AuditKind
}

/** All kinds, in the order in which they are listed to users. */
export const kinds = Object.keys(verbs) as ReadonlyArray<AuditKind>

const isKind = (name: string): name is AuditKind => Object.hasOwn(verbs, name)

/** What a filter accepts in the place of a name that is neither an action nor a kind; `null` for one that is. */
export const expectedFor = (name: string): string | null => {
  const [kind = "", verb, ...more] = name.split(".")
  if (!isKind(kind)) return `a kind (${kinds.join(", ")}) or an action such as run_window.set`
  const known: ReadonlyArray<string> = verbs[kind]
  if (more.length === 0 && (verb === undefined || known.includes(verb))) return null
  return `one of ${[kind, ...known.map((one) => `${kind}.${one}`)].join(", ")}`
}
