import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Client from "../../adapters/postgres/server/Client.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { certificate } from "../support/certificate.ts"
import { databaseCertificates } from "../support/databaseCertificates.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { startServer } from "../support/ownServer.ts"

/** The address of a database with other parameters, and another host. */
const withQuery = (url: string, query: string, host = new URL(url).hostname): string => {
  const { password, pathname, port, username } = new URL(url)
  return `postgres://${username}:${password}@${host}:${port}${pathname}?${query}`
}

interface Session {
  readonly name: string
  readonly encrypted: boolean
  readonly version: string | null
  readonly certified: string | null
  readonly schemas: string
  readonly local: boolean
}

/** What the server knows of a session of the client. */
const session = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Session>`
      select application_name as name, ssl as encrypted, ssl.version, ssl.client_dn as certified,
        current_setting('search_path') as schemas, client_addr is null as local
      from pg_stat_activity join pg_stat_ssl ssl using (pid) where pid = pg_backend_pid()`
    return row
  }).pipe(Effect.provide(Client.layer({ url: Redacted.make(url), maxConnections: 1, maxMessageSize: 1_000_000 })))

const refusalOf = (url: string) => Effect.map(Effect.flip(session(url)), ({ message }) => message)

/** A server with TLS, for which `root.crt` of the folder is the authority, and with a socket in the folder. */
const secured = (settings: ReadonlyArray<string>, rules: (folder: string) => string | null = () => null) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-tls-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    chmodSync(folder, 0o755)
    const files = {
      "root.crt": databaseCertificates.authority,
      "server.crt": databaseCertificates.certificate,
      "server.key": databaseCertificates.key,
      "client.crt": databaseCertificates.userCertificate,
      "client.key": databaseCertificates.userKey,
      "other.crt": certificate.cert
    }
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 })
    const flags = [
      "ssl=on",
      `ssl_cert_file=${join(folder, "server.crt")}`,
      `ssl_key_file=${join(folder, "server.key")}`,
      `ssl_ca_file=${join(folder, "root.crt")}`,
      `unix_socket_directories=${join(folder, "socket")}`,
      "fsync=off",
      ...settings
    ]
    const server = yield* Effect.acquireRelease(
      Effect.promise(() =>
        startServer(flags, (data) => {
          // The server refuses a key that another user could read, and one that it cannot read.
          const { gid, uid } = statSync(data)
          mkdirSync(join(folder, "socket"))
          for (const name of ["socket", "server.key", "server.crt", "root.crt"]) chownSync(join(folder, name), uid, gid)
          const own = rules(folder)
          if (own !== null) writeFileSync(join(data, "pg_hba.conf"), own)
        })
      ),
      ({ stop }) => Effect.promise(stop)
    )
    return { folder, url: server.url }
  })

it.live("connections are secured as sslmode says, by an authority of the operator, over TCP and a socket", () =>
  Effect.gen(function* () {
    const { folder, url } = yield* secured([])
    const own = `sslrootcert=${join(folder, "root.crt")}`
    const other = `sslrootcert=${join(folder, "other.crt")}`
    for (const [query, encrypted] of [
      ["", false],
      ["ssl=false", false],
      ["sslmode=disable", false],
      ["sslmode=allow", false],
      ["sslmode=prefer", true],
      ["ssl=true", true],
      ["requiressl=1", true],
      ["sslmode=require", true],
      [`sslmode=require&${own}`, true],
      [`sslmode=verify-ca&${own}`, true],
      ["sslmode=require&ssl_max_protocol_version=TLSv1.2", true]
    ] as const) {
      assert.strictEqual((yield* session(withQuery(url, query)))?.encrypted, encrypted, query)
    }
    assert.isTrue((yield* session(withQuery(url, `sslmode=verify-full&${own}`, "localhost")))?.encrypted)
    const bounded = yield* session(withQuery(url, "sslmode=require&ssl_max_protocol_version=TLSv1.2"))
    assert.strictEqual(bounded?.version, "TLSv1.2")
    // The certificate is for localhost alone.
    assert.match(yield* refusalOf(withQuery(url, `sslmode=verify-full&${own}`)), /IP: 127\.0\.0\.1 is not in the cert/)
    const named = withQuery(url, `sslmode=verify-full&${own}&hostaddr=127.0.0.1`, "localhost")
    assert.isTrue((yield* session(named))?.encrypted)
    for (const query of [
      `sslmode=verify-ca&${other}`,
      `sslmode=require&${other}`,
      "sslmode=verify-full",
      "sslmode=verify-ca"
    ]) {
      assert.match(yield* refusalOf(withQuery(url, query, "localhost")), /certificate/, query)
    }
    assert.include(
      yield* refusalOf(withQuery(url, "sslmode=verify-ca&sslrootcert=/none/ca.pem")),
      "The file of sslrootcert in DATABASE_URL cannot be read: /none/ca.pem"
    )
    const { pathname, port, username } = new URL(url)
    const local = `postgres://${username}:sluice@${pathname}?host=${join(folder, "socket")}&port=${port}&application_name=by%20socket`
    assert.deepInclude(yield* session(local), { local: true, name: "by socket" })
    const encoded = `postgres://${username}:sluice@${encodeURIComponent(join(folder, "socket"))}:${port}${pathname}`
    assert.deepInclude(yield* session(encoded), { local: true, name: "sluice" })
  }).pipe(Effect.scoped)
)

it.live("a server that asks for TLS and for certificates of its users gets both", () =>
  Effect.gen(function* () {
    const { folder, url } = yield* secured([], () => "hostssl all all 127.0.0.1/32 cert\n")
    const user = `sslcert=${join(folder, "client.crt")}&sslkey=${join(folder, "client.key")}`
    for (const mode of ["allow", "prefer", "require"]) {
      const found = yield* session(withQuery(url, `sslmode=${mode}&${user}`))
      assert.deepInclude(found, { encrypted: true, certified: "/CN=postgres" }, mode)
    }
    assert.match(yield* refusalOf(withQuery(url, "sslmode=require")), /certificate/)
    assert.match(yield* refusalOf(withQuery(url, `sslmode=require&sslcertmode=disable&${user}`)), /certificate/)
    assert.match(yield* refusalOf(withQuery(url, "")), /pg_hba/)
  }).pipe(Effect.scoped)
)

it.live("a server without TLS is refused at once where it is required, and used where it is preferred", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const waiting = Client.layer({
      url: Redacted.make(withQuery(url, "sslmode=require")),
      maxConnections: 1,
      maxMessageSize: 1_000_000,
      waitMillis: Number.POSITIVE_INFINITY
    })
    assert.include((yield* Effect.flip(Layer.build(waiting))).message, "does not support TLS")
    assert.isFalse((yield* session(withQuery(url, "sslmode=prefer")))?.encrypted)
  }).pipe(Effect.scoped)
)

it.live("the stores work in a schema of their own", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const inSchema = withQuery(url, "schema=Own%22x")
    const execute = (statement: string) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
        Effect.provide(Client.layer({ url: Redacted.make(url), maxConnections: 1, maxMessageSize: 1_000_000 }))
      )
    yield* execute('create schema "Own""x"')
    assert.strictEqual((yield* session(inSchema))?.schemas, '"Own""x"')
    yield* Effect.gen(function* () {
      const runs = yield* RunStore
      yield* runs.submit(submission(yield* makeWorkflow(yield* makeWorkspace())))
      assert.lengthOf(yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 1_000 }), 1)
    }).pipe(Effect.provide(Postgres.layer(Redacted.make(inSchema), 3)))
    const tables = yield* execute("select distinct schemaname from pg_tables where tablename in ('runs', 'workspaces')")
    assert.deepStrictEqual(tables, [{ schemaname: 'Own"x' }])
  }).pipe(Effect.scoped)
)
