/** Bad requests drawn from the description of the interface: the same ones for the same seed. */
import { bodySchema, type Described, type Document, judge, operationsOf } from "../support/description.ts"
import { type Draw, draws, generate, type JsonSchema, pick } from "../support/JsonSchema.ts"
import type { Body, Case } from "./Case.ts"
import * as Hostile from "./Hostile.ts"
import * as Structures from "./Structures.ts"

export interface Requests {
  /** The request with this number. */
  readonly at: (index: number) => Case
}

/** Bodies that are in order by rules that no schema says, to be changed in one or two places. */
const bodies: Readonly<Record<string, (draw: Draw) => unknown>> = {
  "workflows.create": (draw) => ({ ...Structures.workflow(draw), run_window: Structures.window(draw) }),
  "workflows.save": Structures.workflow,
  "workflows.upsert": Structures.workflow,
  "workflows.import": (draw) => ({ ...Structures.workflow(draw), format: "sluice.workflow", format_version: 1 }),
  "workflows.convert": () => ({
    file_name: "a.json",
    content: '{"title":"a","steps":[{"type":"navigate","url":"https://shop.example/"}]}'
  }),
  "workflows.fork": () => ({ name: "A copy" }),
  "workflows.validateInput": () => ({ run_input_variables: { npi: "1234567890", list: [1, 2] } }),
  "workflowComponents.createComponent": Structures.component,
  "workflowComponents.saveComponent": Structures.component,
  "workflowComponents.renameComponent": () => ({ name: "Sign in" }),
  setRunWindow: Structures.window,
  "runWindows.previewRunWindow": Structures.window,
  "runWindows.setPace": () => ({ max_starts_per_minute: 30, max_running: null }),
  "runWindows.pause": () => ({ reason: "Work on the site", until: "2099-01-01T00:00:00Z" }),
  "runWindows.unpause": () => ({ pause_resource: "workflow", resource_ids: ["{workflow_id}"] }),
  "runs.start": (draw) => ({
    workflow_id: "{workflow_id}",
    run_input_variables: { npi: "1", deep: { a: [1, null, "x"] } },
    client_id: "00000000-0000-4000-8000-0000000000ff",
    ...(draw() < 0.3 ? { webhook: { url: "https://hooks.example.com/x", secret: "s", validity: 60 } } : {}),
    ...(draw() < 0.3 ? { dry_run: { enabled: true, add_to_output: { a: 1 } } } : {})
  }),
  "runs.failedItem": () => ({ reasoning: "Refused", full_url: "https://shop.example", error_code: "E1" }),
  "errorCodes.findOrCreateErrorCode": (draw) => ({
    error_code: `E${Math.floor(draw() * 1e9)}`,
    description: "Refused"
  }),
  "errorCodes.changeErrorCode": () => ({ description: "Refused" }),
  "workspaces.changeSettings": () => ({ name: "Mine" }),
  "workspaces.makeApiKey": () => ({ role: "Viewer", name: "One" }),
  "invitations.createInvitation": () => ({ role: "Viewer", name: "One" }),
  "invitations.acceptInvitation": () => ({ token: "inv_one" }),
  "notifications.subscribeToRuns": () => ({ workflow_ids: ["{workflow_id}"], events: ["run.failed"] }),
  "notifications.unsubscribeFromRuns": () => ({ workspace_id: "{workspace_id}" }),
  "webhooks.createEndpoint": (draw) => ({ url: `https://hooks.example.com/${Math.floor(draw() * 1e9)}` }),
  "webhooks.changeEndpoint": () => ({ active: false, validity: 60 }),
  "vault.createEntry": (draw) => ({
    permissioned_user_id: `u${Math.floor(draw() * 1e9)}`,
    domain: "https://a.example"
  }),
  "vault.updateEntry": () => ({ permissioned_user_id: "{permissioned_user_id}", domain: "{domain}" }),
  "vault.removeEntry": () => ({ permissioned_user_id: "{permissioned_user_id}", domain: "{domain}" }),
  "vault.clearBrowserState": () => ({ permissioned_user_id: "{permissioned_user_id}", domain: "{domain}" }),
  "authentication.createAuthentication": (draw) => ({
    permissioned_user_id: `u${Math.floor(draw() * 1e9)}`,
    domain: "https://a.example"
  }),
  "authentication.updateAuthentication": () => ({ permissioned_user_id: "{permissioned_user_id}", domain: "{domain}" }),
  "workflowBuilder.openSession": () => ({ name: "New", startUrl: "https://shop.example/" }),
  "workflowBuilder.openSessionFromWorkflow": () => ({ workflowId: "{workflow_id}" }),
  "workflowBuilder.openSessionFromFailedRun": () => ({ sessionId: "{failed_session_id}" }),
  "workflowBuilder.say": () => ({ text: "click #go" }),
  "interactions.answer": () => ({ code: "123456" }),
  "interactions.correct": () => ({ input_variables: { a: 1 } }),
  "secretProviders.createSecretProvider": (draw) => ({
    provider_type: "1password",
    name: `n${Math.floor(draw() * 1e9)}`,
    config: { url: "https://connect.example.com", token: "00" }
  }),
  "secretProviders.changeSecretProvider": (draw) => ({ name: `n${Math.floor(draw() * 1e9)}` }),
  "encryptionKey.beginRotation": () => ({}),
  "workflowBuilder.save": () => ({}),
  "workflowBuilder.respond": () => ({ messageId: "{message_id}", value: "me" })
}

const queryValues: ReadonlyArray<string> = [
  "",
  "1",
  "0",
  "-1",
  "100",
  "10001",
  "1e9",
  "true",
  "false",
  "null",
  "1970-01-01T00:00:00Z",
  "1970-01-02T00:00:00Z",
  "2999-01-01T00:00:00Z",
  "-271821-04-20T00:00:00Z",
  "%00",
  "%ff",
  "%ED%A0%80",
  "%F0%9F%98%80",
  "%",
  "%zz",
  "a%00b",
  "{workflow_id}",
  "{session_id}",
  "{workspace_id}",
  "execution.queued",
  "execution.success,execution.failed",
  ",,,,",
  "a,".repeat(300),
  "x".repeat(3_000),
  "%7B%22a%22%3A1%7D",
  "..%2f..%2f",
  "'%20or%201=1"
]

const ids: ReadonlyArray<string> = [
  "00000000-0000-4000-8000-0000000000ff",
  "x",
  "0",
  "-1",
  "1",
  "99999999999999999999",
  ".",
  "..",
  "%2e%2e",
  "%2f",
  "%00",
  "a%00b",
  "%ff",
  "%ED%A0%80",
  "%",
  "%zz",
  "%F0%9F%98%80",
  "é",
  "'%20or%201=1--",
  "a".repeat(200),
  "a".repeat(5_000),
  "__proto__",
  "constructor",
  "*",
  "null",
  "undefined",
  "{{workflow_id}}"
]

const types: ReadonlyArray<string> = [
  "application/json",
  "application/json; charset=utf-8",
  "APPLICATION/JSON",
  "application/json; charset=utf-16",
  "application/json;",
  "application/jsonx",
  "text/plain",
  "text/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=x",
  "application/octet-stream",
  "application/merge-patch+json",
  "",
  ";",
  "x".repeat(2_000)
]

/** Headers that servers give a meaning, with values that they may trip over. */
const strange: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> = [
  ["idempotency-key", ["k1", "k2", "", "x".repeat(300), "é", "a,b", '"q"', " ", "0"]],
  ["x-workspace-id", ["{workspace_id}", "x", "", "00000000-0000-4000-8000-0000000000ff", "é"]],
  ["last-event-id", ["0", "-1", "x", "99999999999999999999", "", "é"]],
  ["x-session-id", ["{session_id}", "x", "", "é"]],
  ["authorization", ["Bearer {key}", "Bearer", "Bearer  ", "Basic eA==", "bearer {key}", "é", ""]],
  ["accept", ["text/html", "*/*;q=nonsense", "", "application/json;q=0"]],
  ["accept-encoding", ["gzip", "br, *;q=0", "identity;q=0"]],
  ["content-encoding", ["gzip", "identity", "deflate, gzip", ""]],
  ["range", ["bytes=0-", "bytes=-1", "bytes=5-1", "lines=1"]],
  ["if-none-match", ["*", '"x"']],
  ["if-modified-since", ["yesterday"]],
  ["expect", ["100-continue"]],
  ["origin", ["https://evil.test", "null", ""]],
  ["cookie", ["a=b; a=c; ;;==", "x".repeat(4_000)]],
  ["x-forwarded-for", ["127.0.0.1", "x, , y", "[::1"]],
  ["x-forwarded-host", ["evil.test", "a b", "é"]],
  ["x-forwarded-proto", ["javascript", "https,http"]],
  ["forwarded", ['for=";proto=;;']],
  ["x-http-method-override", ["DELETE"]],
  ["host", ["evil.test", "x:99999", "[", "a@b", "127.0.0.1"]],
  ["upgrade", ["websocket", "h2c"]],
  ["te", ["trailers", "chunked"]],
  ["traceparent", ["00-0-0-0", "x"]],
  ["x-large", ["x".repeat(12_000)]],
  ["transfer-encoding", ["chunked"]]
]

const methods: ReadonlyArray<string> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]

/** Routes beside the described ones. */
const besides: ReadonlyArray<readonly [method: string, path: string]> = [
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/openapi.json"],
  ["GET", "/docs"],
  ["GET", "/live/{session_id}"],
  ["POST", "/live/{session_id}/view"],
  ["GET", "/live/{session_id}/view"],
  ["POST", "/live/{session_id}/control"],
  ["POST", "/live/{session_id}/gestures"],
  ["GET", "/artifacts/00000000-0000-4000-8000-0000000000ff"],
  ["POST", "/inbound/mail"],
  ["POST", "/inbound/mail/postmark"],
  ["POST", "/inbound/mail/ses"],
  ["POST", "/inbound/sms"],
  ["POST", "/inbound/sms/twilio"]
]

/** Other ways to write an address. */
const forms: ReadonlyArray<(path: string, draw: Draw) => string> = [
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `${path}/.`,
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path}%3f`,
  (path) => `${path}#x`,
  (path) => path.toUpperCase().replace(/\{\w+\}/gi, "x"),
  (path) => path.replaceAll("/", "%2f").replace("%2f", "/"),
  (path) => path.replaceAll("/", "\\"),
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `${path}${"/x".repeat(500)}`,
  (path) => `http://evil.test${path}`,
  (path) => `${path}é`,
  (_path, draw) => `/${pick(["", "*", "admin", "..", "%", "%ff", ".git/config", "a".repeat(9_000)], draw)}`
]

const jsonType = ["content-type", "application/json"] as const

export const make = (document: Document, seed: number): Requests => {
  const operations = operationsOf(document)
  const { resolve } = judge(document)

  /** The operations take turns, in each round in another order, so that few requests ask for all. */
  const operationAt = (index: number): Described => {
    const draw = draws(Math.imul(seed, 0x85ebca6b) ^ Math.floor(index / operations.length))
    const places = operations.map((operation) => ({ operation, place: draw() })).sort((a, b) => a.place - b.place)
    const found = places[index % operations.length]
    if (found === undefined) throw new Error("The description has no operations")
    return found.operation
  }

  const at = (index: number): Case => {
    // Numbers that follow each other must not draw alike.
    const draw = draws(Math.imul(seed + 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
    draw()
    if (draw() < 0.04) return besideCase(draw)
    return operationCase(operationAt(index), draw, resolve)
  }
  return { at }
}

const besideCase = (draw: Draw): Case => {
  const [method, path] = pick(besides, draw)
  const headers = headersOf(draw)
  const body = method === "POST" || draw() < 0.2 ? { json: Hostile.anything(draw) } : null
  return {
    method: draw() < 0.9 ? method : pick(methods, draw),
    path: `${draw() < 0.9 ? path : pick(forms, draw)(path, draw)}${draw() < 0.3 ? `?${pick(queryValues, draw)}` : ""}`,
    headers: body === null ? headers : [jsonType, ...headers],
    body
  }
}

const headerValue = (name: string, draw: Draw): string => {
  if (name === "x-session-id") return "{session_id}"
  // A key that comes again belongs to another request, and is refused as such.
  if (name === "Idempotency-Key") return `key-${Math.floor(draw() * 1e9)}`
  return "0"
}

const operationCase = (operation: Described, draw: Draw, resolve: (ref: string) => JsonSchema): Case => {
  let path = operation.path
  const badId = draw() < 0.12
  if (badId) path = path.replace(/\{\w+\}/g, () => (draw() < 0.7 ? pick(ids, draw) : "{workflow_id}"))
  if (draw() < 0.04) path = pick(forms, draw)(path, draw)
  const headers = headersOf(draw)
  for (const { in: place, name } of operation.parameters) {
    if (place === "header" && draw() < 0.8) headers.push([name, headerValue(name, draw)])
  }
  const schema = bodySchema(operation)
  const takesBody = schema !== undefined || draw() < 0.1
  const body = takesBody && draw() < 0.97 ? bodyOf(operation, schema ?? {}, draw, resolve) : null
  if (body !== null) headers.push(draw() < 0.93 ? jsonType : ["content-type", pick(types, draw)])
  return {
    method: draw() < 0.97 ? operation.method : pick(methods, draw),
    path: `${path}${queryOf(operation, draw)}`,
    headers: apart(headers),
    body
  }
}

/** Headers of one name each, as Node sends them; the last one stays. */
const apart = (headers: ReadonlyArray<readonly [string, string]>): ReadonlyArray<readonly [string, string]> => [
  ...new Map(headers)
]

const headersOf = (draw: Draw): Array<readonly [string, string]> => {
  const headers: Array<readonly [string, string]> = []
  const who = draw()
  if (who < 0.88) headers.push(["cc-key", "{key}"])
  else if (who < 0.94) headers.push(["cc-key", "{viewer_key}"])
  else if (who < 0.97) headers.push(["cc-key", pick(["", "x", "sk_AAAA", "é", "x".repeat(5_000)], draw)])
  while (draw() < 0.12) {
    const [name, values] = pick(strange, draw)
    headers.push([name, pick(values, draw)])
  }
  return headers
}

const queryOf = ({ parameters }: Described, draw: Draw): string => {
  const parts: Array<string> = []
  for (const { in: place, name, required } of parameters) {
    if (place !== "query" || draw() > (required ? 0.9 : 0.35)) continue
    parts.push(`${encodeURIComponent(name)}=${pick(queryValues, draw)}`)
    if (draw() < 0.1) parts.push(`${encodeURIComponent(name)}=${pick(queryValues, draw)}`)
    if (draw() < 0.05) parts.push(`${encodeURIComponent(name)}[a][b]=${pick(queryValues, draw)}`)
  }
  while (draw() < 0.05)
    parts.push(`${pick(["x", "__proto__", "", "%ff", "a[]", "limit"], draw)}=${pick(queryValues, draw)}`)
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** The example of the description, with names of things that there are in place of its ids. */
const exampleOf = (operation: Described): (() => unknown) | undefined => {
  const example: unknown = operation.requestBody?.content["application/json"]?.example
  if (typeof example !== "object" || example === null || Array.isArray(example)) return undefined
  const named = Object.entries(example).map(([name, value]) => {
    if (/_id$/.test(name) && typeof value === "string") return [name, `{${name}}`]
    return /_ids$/.test(name) ? [name, [`{${name.slice(0, -1)}}`]] : [name, value]
  })
  return () => structuredClone(Object.fromEntries(named))
}

const bodyOf = (operation: Described, schema: JsonSchema, draw: Draw, resolve: (ref: string) => JsonSchema): Body => {
  const known = bodies[operation.operationId] ?? exampleOf(operation)
  const how = draw()
  if (how < 0.03) return { text: pick(brokenTexts, draw) }
  if (how < 0.04) return { base64: pick(brokenBytes, draw) }
  if (how < 0.08) return { json: Hostile.anything(draw) }
  if (known === undefined || how < 0.35) {
    return { json: draw() < 0.2 ? generate(schema, draw, resolve) : Hostile.almost(schema, draw, resolve) }
  }
  let json = known(draw)
  for (let changes = Math.floor(draw() * 3); changes > 0; changes--) json = Hostile.changed(json, draw)
  return { json }
}

const brokenTexts: ReadonlyArray<string> = [
  "",
  " ",
  "{",
  '{"a":',
  '{"a":1}}',
  "{'a':1}",
  '{"a":1e400}',
  '{"a":-1e400, "limit": 1E+9999}',
  '{"a":1,"a":2}',
  "NaN",
  "\ufeff{}",
  '{"a":"\\ud800"}',
  '{"\\ud800":1}',
  '{"a":"\\u0000"}',
  '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}',
  "[".repeat(5_000),
  `${"[".repeat(99)}${"]".repeat(99)}`,
  `${"[".repeat(2_000)}${"]".repeat(2_000)}`,
  `${'{"a":'.repeat(99)}1${"}".repeat(99)}`,
  `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":0`).join()}}`,
  `[${"0,".repeat(20_000)}0]`,
  `"${"x".repeat(100_000)}"`,
  `{"name":"${"\\u0000".repeat(2_000)}"}`
]

const brokenBytes: ReadonlyArray<string> = [
  Buffer.of(0xff, 0xfe, 0x7b, 0x00).toString("base64"),
  Buffer.of(0x7b, 0x22, 0xff, 0x22, 0x7d).toString("base64"),
  Buffer.of(0x22, 0xed, 0xa0, 0x80, 0x22).toString("base64"),
  Buffer.of(0x22, 0xc0, 0x80, 0x22).toString("base64"),
  Buffer.alloc(1_000).toString("base64"),
  Buffer.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0).toString("base64")
]
