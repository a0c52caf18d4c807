/**
 * The least cost of accepting a run: a server without anything around it, which parses the body and inserts one
 * row with one prepared statement. It reads its database from an environment variable, and prints its port.
 */
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import * as PgClient from "@effect/sql-pg/PgClient"
import { ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"

const runtime = ManagedRuntime.make(
  PgClient.layer({ url: Redacted.make(process.env.SLUICE_TEST_SERVER_DATABASE ?? ""), maxConnections: 10 })
)
const sql = await runtime.runPromise(SqlClient.SqlClient)
await runtime.runPromise(
  sql`create table plain_runs (id uuid primary key, workflow_id uuid not null, input text not null, created_at timestamptz not null)`
)

const server = createServer((request, response) => {
  let text = ""
  request.setEncoding("utf8")
  request.on("data", (piece: string) => {
    text += piece
  })
  request.on("end", () => {
    const body = JSON.parse(text) as { readonly workflow_id: string; readonly run_input_variables: unknown }
    const id = randomUUID()
    runtime
      .runPromise(
        sql`insert into plain_runs (id, workflow_id, input, created_at)
          values (${id}, ${body.workflow_id}, ${JSON.stringify(body.run_input_variables)}, ${new Date()})`
      )
      .then(() => {
        response.writeHead(201, { "content-type": "application/json" })
        response.end(JSON.stringify({ session_id: id }))
      })
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.({ url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}` })
})
process.once("disconnect", () => process.exit(0))
