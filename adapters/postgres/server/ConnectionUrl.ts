/**
 * Reads `DATABASE_URL`, in the form of libpq. Each parameter of libpq is honoured, or refused by its name: none is ignored.
 *
 * A problem never contains a piece of the user, the password or the database name.
 */
import { userInfo } from "node:os"
import { Redacted } from "effect"

export const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const
export type SslMode = (typeof sslModes)[number]

/** Where a server listens. */
export interface Host {
  /** The name that its certificate must have, or the folder of its socket, which begins with a slash. */
  readonly name: string
  /** The address to connect to, where `hostaddr` gives one. */
  readonly address: string | null
  readonly port: number
}

/** The files and bounds of TLS, as they were given. */
export interface Tls {
  readonly mode: SslMode
  /** A file, or `system` for the authorities that Node trusts. */
  readonly rootCertificate: string | null
  readonly certificate: string | null
  readonly key: string | null
  readonly keyPassword: Redacted.Redacted<string> | null
  readonly revocations: string | null
  readonly sendsName: boolean
  readonly minVersion: TlsVersion | null
  readonly maxVersion: TlsVersion | null
}

export type TlsVersion = "TLSv1" | "TLSv1.1" | "TLSv1.2" | "TLSv1.3"

export interface Target {
  readonly hosts: readonly [Host, ...ReadonlyArray<Host>]
  readonly user: string
  readonly password: Redacted.Redacted<string> | null
  readonly database: string
  readonly applicationName: string
  /** The time limit for opening a connection, in milliseconds; 0 for none. */
  readonly connectTimeoutMillis: number
  /** How long a connection is idle before the operating system checks it, in milliseconds; `null` for never. */
  readonly keepAliveMillis: number | null
  /** Settings of the session, in the form of `options`. */
  readonly options: string | null
  readonly searchPath: string | null
  readonly tls: Tls
  /** Whether only a server that accepts writes is used. */
  readonly needsWritable: boolean
}

export type Read =
  | { readonly _tag: "Target"; readonly target: Target }
  | { readonly _tag: "Problems"; readonly problems: ReadonlyArray<string> }

/** The time limit for opening a connection where `connect_timeout` sets none, in milliseconds. */
const defaultConnectTimeout = 5_000

/** The time after which an idle connection is checked where `keepalives_idle` sets none, in milliseconds. */
const defaultKeepAlive = 30_000

/** The parameters that are honoured. */
export const honoured = [
  "host",
  "hostaddr",
  "port",
  "dbname",
  "user",
  "password",
  "connect_timeout",
  "application_name",
  "fallback_application_name",
  "client_encoding",
  "options",
  "search_path",
  "schema",
  "keepalives",
  "keepalives_idle",
  "ssl",
  "sslmode",
  "requiressl",
  "sslnegotiation",
  "sslcompression",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "sslpassword",
  "sslcertmode",
  "sslcrl",
  "sslsni",
  "ssl_min_protocol_version",
  "ssl_max_protocol_version",
  "channel_binding",
  "gssencmode",
  "target_session_attrs",
  "load_balance_hosts"
] as const

type Honoured = (typeof honoured)[number]

/** The parameters of libpq that are refused, and what to do instead. */
export const refused: Readonly<Record<string, string>> = {
  passfile: "put the password into DATABASE_URL",
  service: "write its parameters into DATABASE_URL",
  servicefile: "write its parameters into DATABASE_URL",
  require_auth: "let the server require it, in pg_hba.conf",
  requirepeer: "protect the folder of the socket by its permissions",
  keepalives_interval: "set it in the operating system",
  keepalives_count: "set it in the operating system",
  tcp_user_timeout: "a server that does not answer is noticed within about six seconds",
  replication: "the service opens no connections for replication",
  sslcrldir: "name one file by sslcrl",
  sslkeylogfile: "the keys of connections are not written",
  gsslib: "use a password or a certificate",
  gssdelegation: "use a password or a certificate",
  krbsrvname: "use a password or a certificate",
  scram_client_key: "use a password or a certificate",
  scram_server_key: "use a password or a certificate",
  oauth_issuer: "use a password or a certificate",
  oauth_client_id: "use a password or a certificate",
  oauth_client_secret: "use a password or a certificate",
  oauth_scope: "use a password or a certificate",
  min_protocol_version: "the protocol is 3.0",
  max_protocol_version: "the protocol is 3.0"
}

const unencoded =
  "DATABASE_URL cannot be read: write the characters @ / # ? % of its user, password and database name percent-encoded, as %40 %2F %23 %3F %25"

/** Reads the text of `DATABASE_URL`. All problems are reported, one sentence each. */
export const read = (text: string): Read => {
  const parts =
    /^postgres(?:ql)?:\/\/(?<authority>[^/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?(?<rest>#.*)?$/su.exec(
      text.trim()
    )?.groups
  if (parts === undefined) return one("DATABASE_URL must begin with postgres:// or postgresql://")
  const { authority = "", path = "", query = "", rest } = parts
  const [credentials, hosts] = authority.includes("@") ? authority.split("@") : ["", authority]
  const pairs =
    query === "" ? [] : query.split("&").map((pair) => /^(?<name>[^=]*)(?:=(?<value>.*))?$/s.exec(pair)?.slice(1) ?? [])
  const isMisread =
    rest !== undefined ||
    authority.split("@").length > 2 ||
    path.includes("@") ||
    (!authority.includes("@") && /:(?!\d*(?:,|$))/.test(authority.replace(/\[[^[\]]*\]/g, ""))) ||
    (query.includes("@") && pairs.some(([name = "", value]) => value === undefined || !/^\w+$/.test(name)))
  if (isMisread) return one(unencoded)
  const decoded = decodeAll([credentials ?? "", hosts ?? "", path, query])
  if (decoded === null) return one(unencoded)
  return readParts(credentials ?? "", hosts ?? "", path.slice(1), pairs)
}

const one = (problem: string): Read => ({ _tag: "Problems", problems: [problem] })

const decodeAll = (texts: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  try {
    return texts.map(decodeURIComponent)
  } catch {
    return null
  }
}

const readParts = (
  credentials: string,
  authority: string,
  path: string,
  pairs: ReadonlyArray<ReadonlyArray<string>>
): Read => {
  const problems: Array<string> = []
  const given = parametersOf(pairs, problems)
  const colon = credentials.indexOf(":")
  const user = decodeURIComponent(colon === -1 ? credentials : credentials.slice(0, colon))
  const password = colon === -1 ? "" : decodeURIComponent(credentials.slice(colon + 1))

  const value = (name: Honoured): string | null => given.get(name) || null
  const chosen = <A extends string>(name: Honoured, values: ReadonlyArray<A>): A | null => {
    const found = value(name)
    if (found === null) return null
    const match = values.find((one) => one === found)
    if (match === undefined) problems.push(`${refusal(name, found)}: expected ${values.join(", ")}`)
    return match ?? null
  }
  const number = (name: Honoured): number | null => {
    const found = value(name)
    if (found === null) return null
    if (!/^\d{1,9}$/.test(found)) problems.push(`${refusal(name, found)}: expected a number of seconds`)
    return Number(found)
  }

  chosen("client_encoding", ["UTF8", "utf8", "UTF-8", "utf-8", "auto"])
  chosen("sslnegotiation", ["postgres"])
  chosen("sslcompression", ["0"])
  chosen("channel_binding", ["disable", "prefer"])
  chosen("gssencmode", ["disable", "prefer"])
  const hosts = hostsOf(authority, given, problems)
  const versions = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const
  const attributes = chosen("target_session_attrs", ["any", "read-write", "primary"])
  const isRandom = chosen("load_balance_hosts", ["disable", "random"]) === "random"
  const sendsCertificate = chosen("sslcertmode", ["allow", "disable"]) !== "disable"
  const tls: Tls = {
    mode: modeOf(given, problems, chosen),
    rootCertificate: value("sslrootcert"),
    certificate: sendsCertificate ? value("sslcert") : null,
    key: sendsCertificate ? value("sslkey") : null,
    keyPassword: maybeSecret(value("sslpassword")),
    revocations: value("sslcrl"),
    sendsName: chosen("sslsni", ["1", "0"]) !== "0",
    minVersion: chosen("ssl_min_protocol_version", versions),
    maxVersion: chosen("ssl_max_protocol_version", versions)
  }
  if ((value("sslcert") === null) !== (value("sslkey") === null)) {
    problems.push("sslcert and sslkey in DATABASE_URL belong together: set both, or neither")
  }
  const connectTimeout = number("connect_timeout")
  const idle = number("keepalives_idle")
  const keepsAlive = chosen("keepalives", ["1", "0"]) !== "0"
  const name = value("user") ?? (user || userInfo().username)
  if (problems.length > 0) return { _tag: "Problems", problems: [...new Set(problems)] }
  const [first, ...others] = isRandom ? shuffled(hosts) : hosts
  if (first === undefined) return one("DATABASE_URL names no host")
  return {
    _tag: "Target",
    target: {
      hosts: [first, ...others],
      user: name,
      password: maybeSecret(value("password") ?? (password || null)),
      database: value("dbname") ?? (decodeURIComponent(path) || name),
      applicationName: value("application_name") ?? value("fallback_application_name") ?? "sluice",
      connectTimeoutMillis: connectTimeout === null ? defaultConnectTimeout : connectTimeout * 1_000,
      keepAliveMillis: keepsAlive ? (idle === null ? defaultKeepAlive : idle * 1_000) : null,
      options: value("options"),
      searchPath: value("search_path") ?? quoted(value("schema")),
      tls,
      needsWritable: attributes === null ? hosts.length > 1 : attributes !== "any"
    }
  }
}

/** The values of the parameters. Those that are refused, unknown or given twice are problems. */
const parametersOf = (
  pairs: ReadonlyArray<ReadonlyArray<string>>,
  problems: Array<string>
): ReadonlyMap<string, string> => {
  const given = new Map<string, string>()
  for (const [name = "", value] of pairs) {
    const shown = /^[a-z][a-z0-9_]{0,40}$/i.test(name) ? `"${name}"` : "that is no name"
    if (value === undefined || name === "") problems.push(unencoded)
    else if (refused[name] !== undefined)
      problems.push(`DATABASE_URL cannot have the parameter "${name}": ${refused[name]}`)
    else if (!honoured.some((one) => one === name)) {
      problems.push(`DATABASE_URL has a parameter ${shown}, which is unknown: expected one of ${honoured.join(", ")}`)
    } else if (given.has(name)) problems.push(`DATABASE_URL has the parameter "${name}" twice`)
    else given.set(name, decodeURIComponent(value))
  }
  return given
}

/** The values of these are shown in messages: none can be a secret. */
const refusal = (name: string, value: string): string =>
  /^[A-Za-z0-9._-]{1,40}$/.test(value)
    ? `${name}=${value} in DATABASE_URL is refused`
    : `${name} in DATABASE_URL is refused`

const modeOf = (
  given: ReadonlyMap<string, string>,
  problems: Array<string>,
  chosen: <A extends string>(name: Honoured, values: ReadonlyArray<A>) => A | null
): SslMode => {
  const bySsl = { true: "require", false: "disable" } as const
  const byRequire = { "0": "prefer", "1": "require" } as const
  const ssl = chosen("ssl", ["true", "false"])
  const require = chosen("requiressl", ["0", "1"])
  const isSystem = given.get("sslrootcert") === "system"
  const named = chosen("sslmode", sslModes)
  const implied = ssl === null ? (require === null ? null : byRequire[require]) : bySsl[ssl]
  const mode = named ?? implied ?? (isSystem ? "verify-full" : "disable")
  if (named !== null && implied !== null && (named === "disable") !== (implied === "disable")) {
    problems.push("ssl and sslmode in DATABASE_URL contradict each other: keep sslmode")
  }
  if (isSystem && mode !== "verify-full") {
    problems.push(
      "sslrootcert=system in DATABASE_URL needs sslmode=verify-full: anybody gets a certificate of such an authority"
    )
  }
  const idle = ["sslrootcert", "sslcert", "sslkey", "sslcrl"].filter((name) => given.has(name))
  if (mode === "disable" && idle.length > 0) {
    problems.push(`${idle.join(", ")} in DATABASE_URL has no effect without TLS: set sslmode, such as verify-full`)
  }
  return mode
}

/** The hosts of the authority and of the parameters, which replace them. */
const hostsOf = (
  authority: string,
  given: ReadonlyMap<string, string>,
  problems: Array<string>
): ReadonlyArray<Host> => {
  const written = authority === "" ? [] : authority.split(",").map(placeOf)
  const listOf = (name: Honoured) => {
    const value = given.get(name)
    return value === undefined || value === "" ? null : value.split(",")
  }
  const addresses = listOf("hostaddr")
  const names = listOf("host") ?? (written.length > 0 ? written.map(({ name }) => name) : (addresses ?? ["localhost"]))
  const ports = listOf("port") ?? written.map(({ port }) => port)
  if (ports.length > 1 && ports.length !== names.length) {
    problems.push(
      `DATABASE_URL has ${names.length} hosts and ${ports.length} ports: give one port, or one for each host`
    )
  }
  if (addresses !== null && addresses.length !== names.length) {
    problems.push(
      `DATABASE_URL has ${names.length} hosts and ${addresses.length} addresses (hostaddr): give one for each host`
    )
  }
  return names.map((name, index) => {
    const port = (ports.length > 1 ? ports[index] : ports[0]) || "5432"
    const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535
    if (!isPort) problems.push("DATABASE_URL has a port that is no number from 1 to 65535")
    return { name: name || "localhost", address: addresses?.[index] ?? null, port: Number(port) }
  })
}

/** A host of the authority, such as `db:5433`, `[::1]:5433` or `%2Frun%2Fpostgresql`. */
const placeOf = (text: string): { readonly name: string; readonly port: string } => {
  const [, six, name = "", port = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? []
  return { name: six ?? decodeURIComponent(name), port }
}

const maybeSecret = (text: string | null) => (text === null ? null : Redacted.make(text))

const quoted = (schema: string | null) => (schema === null ? null : `"${schema.replaceAll('"', '""')}"`)

const shuffled = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
