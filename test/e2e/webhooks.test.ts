import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookClient } from "../../node_modules/cloudcruise/dist/webhook/WebhookClient.js"
import { migratedDatabase } from "../support/databases.ts"
import { graph } from "../support/fixtures.ts"
import { dataDir, key, masterKey, ready, send, sluice } from "../support/processes.ts"
import { type Received, receiver } from "../support/receiver.ts"
import { awaited, until } from "../support/waiting.ts"

const secret = "only the receiver and we know this"

/** Everything that is in a database, as text. */
const dumpOf = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`
    const rows = yield* Effect.forEach(
      tables,
      ({ name }) => sql<{ readonly row: string }>`select t::text as row from ${sql(name)} t`
    )
    return rows
      .flat()
      .map(({ row }) => row)
      .join("\n")
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))

/** Lets the time pass after which another process takes over what one had begun: half a minute. */
const expireLocks = (url: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update webhook_queue set acquired_at = acquired_at - interval '1 minute'`
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))

const verify = ({ headers, text }: Received) =>
  new WebhookClient().verifySignature(text, String(headers["x-hmac-signature"]), secret)

it.live("a killed process loses no delivery: another process makes both its begun and its waiting ones", () =>
  Effect.gen(function* () {
    const [folder, databaseUrl] = [yield* dataDir, yield* migratedDatabase]
    const settings = {
      DATABASE_URL: databaseUrl,
      SLUICE_MASTER_KEY: masterKey,
      SLUICE_DATA_DIR: folder,
      SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
      SLUICE_PUBLIC_URL: "https://sluice.example.com/"
    }
    const migrated = yield* sluice(["migrate"], settings)
    assert.strictEqual(yield* migrated.ended, 0)

    // The first process gets no answer; its request is in flight when it is killed.
    let isDeaf = true
    const target = yield* receiver((_, answer) => {
      if (!isDeaf) answer.writeHead(200).end()
    })
    const first = yield* sluice(["api"], settings)
    const url = yield* ready(first)
    yield* send(url, "POST", "/webhook-endpoints", { url: target.url, secret })
    const workflow = yield* send(url, "POST", "/workflows", { name: "W", ...graph() })
    const sessions: Array<string> = []
    for (let count = 0; count < 8; count++) {
      const webhook = { url: `${target.url}/own`, secret, metadata: { count } }
      const run = yield* send(url, "POST", "/run", { workflow_id: workflow.id, webhook })
      sessions.push(String(run.session_id))
    }
    const begun = yield* target.next
    first.child.kill("SIGKILL")
    yield* first.ended
    isDeaf = false
    yield* expireLocks(databaseUrl)

    const second = yield* sluice(["api"], settings)
    const next = yield* ready(second)
    const delivered = new Map<string, Received>()
    while (delivered.size < 16) {
      const received = yield* awaited("the next delivery", target.next, () => [...delivered.keys()])
      delivered.set(`${received.path} ${String(received.body.payload.session_id)}`, received)
    }
    for (const received of delivered.values()) verify(received)
    assert.isTrue(delivered.has(`${begun.path} ${String(begun.body.payload.session_id)}`))
    for (const session of sessions) {
      const deliveries = Effect.map(
        send(next, "GET", `/webhooks/${session}`),
        ({ webhook_events }) => webhook_events as unknown as ReadonlyArray<{ readonly delivered: boolean }>
      )
      const log = yield* until("the note of both deliveries", deliveries, (all) => all.every((one) => one.delivered))
      assert.lengthOf(log, 2)
    }
    for (const text of [yield* dumpOf(databaseUrl), first.output(), second.output()]) {
      assert.notInclude(text, secret)
      assert.notInclude(text, key)
    }
  }).pipe(Effect.scoped)
)
