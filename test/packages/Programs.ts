/** Programs of a stranger who has installed the packages. */
import { posix } from "node:path"
import type { Manifest } from "./Installed.ts"

/** Imports every entry, asks a window, and has the client refused by a server. */
export const program = (entries: ReadonlyArray<string>): string => `
import { createServer } from "node:http"
for (const name of ${JSON.stringify(entries)}) {
  if (Object.keys(await import(name)).length === 0) throw new Error(name + " exports nothing")
}
const RunWindow = await import("@sluice/core/window")
const { connect } = await import("@sluice/client/promise")
const server = createServer((request, response) => {
  const known = request.headers["cc-key"] === "sk_known"
  const answer = known
    ? { session_id: "11111111-1111-4111-8111-111111111111" }
    : { statusCode: 401, message: "No such key", error: "Unauthorized" }
  response.writeHead(known ? 201 : 401, { "content-type": "application/json" }).end(JSON.stringify(answer))
})
await new Promise((done) => server.listen(0, "127.0.0.1", done))
const baseUrl = "http://127.0.0.1:" + server.address().port
const start = (key) => connect({ baseUrl, key }).runs.start({ payload: { workflow_id: "22222222-2222-4222-8222-222222222222" } })
const refused = await start("sk_unknown").catch(({ _tag, status, message }) => ({ _tag, status, message }))
const started = await start("sk_known")
server.close()
console.log(JSON.stringify({ refused, started: started.session_id, invalid: RunWindow.validate({ time_zone: "Europe/Berlin" })._tag }))
process.exit(0)
`

export const expected = {
  refused: { _tag: "Refused", status: 401, message: "No such key" },
  started: "11111111-1111-4111-8111-111111111111",
  invalid: "Failure"
}

/** What the types of the client must refuse; a client of the type any would take it. What it fails with has a name. */
export const mistakes = `
import type { Effect } from "effect"
import type * as Client from "@sluice/client"
import { connect } from "@sluice/client/promise"
type Failure = Effect.Error<ReturnType<Client.Client["runs"]["start"]>>
export const tagOf = (failure: Failure): string => failure._tag
// @ts-expect-error: what a handler fails with is answered by another name
export const inner: Failure["_tag"] = "WorkflowNotFound"
const sluice = connect({ baseUrl: "http://127.0.0.1:8787" })
export const mistakes = () => [
  // @ts-expect-error: there is no such operation
  sluice.runs.begin({ payload: {} }),
  // @ts-expect-error: the id of a workflow is a text
  sluice.runs.start({ payload: { workflow_id: 5 } }),
  // @ts-expect-error: an entry of the list has no such field
  sluice.workspaces.me().then(({ shoe_size }) => shoe_size)
]
`

/** The options of a strict program. */
export const strict = {
  target: "ES2023",
  lib: ["ES2023", "DOM", "DOM.Iterable", "ESNext.Disposable"],
  module: "NodeNext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: true,
  noEmit: true
}

/** The entries of a package as a program imports them. */
export const entriesOf = ({ exports, name }: Manifest): ReadonlyArray<string> =>
  Object.keys(exports)
    .filter((subpath) => subpath !== "./package.json" && !subpath.startsWith("./internal/"))
    .map((subpath) => posix.join(name, subpath))
