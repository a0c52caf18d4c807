import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { failure, type Run } from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { jpeg } from "../../kit/browser/ScriptedPicture.ts"
import { graphOf } from "../../support/browser.ts"
import { framesOf, openRaw } from "../../support/clients.ts"
import { home, hosted, list } from "../../support/hosted.ts"
import { type Member, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const base = "/workflow-builder/agent"

/** Waits until a conversation is not processing. */
const rested = (key: string, id: string) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const status = Effect.map(send({ method: "GET", path: `${base}/${id}/status`, key }), ({ body }) => body)
    return yield* until("the end of a turn", status, ({ isProcessing }) => isProcessing !== true)
  })

const opened = (key: string, body: object = {}) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const json = { name: "Orders", startUrl: home, ...body }
    const answer = yield* send({ method: "POST", path: `${base}/session`, key, json })
    assert.strictEqual(answer.status, 201, answer.text)
    const id = String(answer.body.conversationId)
    yield* rested(key, id)
    return { id, body: answer.body }
  })

const tell = (key: string, id: string, text: string) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const taken = yield* send({ method: "POST", path: `${base}/${id}/message`, key, json: { text } })
    assert.strictEqual(taken.status, 200, taken.text)
    yield* rested(key, id)
    const { body } = yield* send({ method: "GET", path: `${base}/${id}/messages?tail=true&limit=1`, key })
    const [last] = body.messages as ReadonlyArray<Record<string, unknown>>
    return last ?? {}
  })

const workflowOf = ({ key }: Member, extra: object = {}) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const graph = graphOf(home, [{ action: "CLICK", parameters: { selector: "#go" } }])
    const input_schema = { type: "object", properties: { user: { type: "string" } }, required: ["user"] }
    const made = yield* send({
      method: "POST",
      path: "/workflows",
      key,
      json: { name: "Orders", ...graph, input_schema, ...extra }
    })
    assert.strictEqual(made.status, 201, made.text)
    return { id: String(made.body.id), versionId: String(made.body.version_id), clickId: graph.nodes[1]?.id ?? "" }
  })

it.layer(hosted)("a conversation over HTTP", (it) => {
  it.effect("goes from an address to a saved workflow", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { caller, key } = yield* member("Member")
      const { body, id } = yield* opened(key, { description: "All of them", jsonExample: '{"user":"me"}' })
      assert.hasAllKeys(body, ["conversationId", "startedAt", "status", "terminal", "isProcessing"])
      const settled = { conversationId: id, terminal: true, isProcessing: false }
      assert.deepEqual(yield* rested(key, id), { ...settled, status: "completed" })
      const state = yield* send({ method: "GET", path: `${base}/${id}/turn-state`, key })
      assert.deepEqual(state.body, { ...settled, phase: "completed", report: `Opened ${home}` })
      const typed = yield* tell(key, id, "type #user = {{context.inputs.user}}")
      assert.deepInclude(typed, { role: "assistant", status: "success", type: "action_result", number: 3 })
      yield* tell(key, id, '{"action":"CLICK","parameters":{"selector":"#go"},"name":"Orders, please"}')
      const draft = yield* send({ method: "GET", path: `${base}/${id}/workflow`, key })
      assert.deepInclude(draft.body, {
        id: null,
        version_id: null,
        name: "Orders",
        description: "All of them",
        workspace_id: caller.workspaceId,
        max_retries: 0
      })
      assert.deepStrictEqual(
        (draft.body.nodes as ReadonlyArray<{ name: string }>).map(({ name }) => name),
        ["Open the start page", "Type into #user", "Orders, please", "Done"]
      )
      const saved = yield* send({ method: "POST", path: `${base}/${id}/save`, key, json: {} })
      assert.deepInclude(saved.body, { version_number: 1, version_note: "Saved from API" })
      assert.deepInclude(yield* rested(key, id), {
        status: "completed",
        terminal: true,
        workflowId: String(saved.body.id)
      })
      const same = yield* send({ method: "GET", path: `/workflows/${saved.body.id}`, key })
      assert.deepStrictEqual(same.body, saved.body)
      const again = yield* send({ method: "POST", path: `${base}/${id}/save`, key, json: { versionNote: "Twice" } })
      assert.deepInclude(again.body, { id: saved.body.id, version_number: 2, version_note: "Twice" })
      const headers = { "content-type": "application/json" }
      const empty = yield* send({ method: "POST", path: `${base}/${id}/save`, key, headers })
      assert.deepInclude(empty.body, { version_number: 3, version_note: "Saved from API" })
    })
  )

  it.effect("shows its page, as a picture and as a document, and says so when there is none", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const { id } = yield* opened(key)
      const picture = yield* send({ method: "GET", path: `${base}/${id}/screenshot`, key })
      assert.deepStrictEqual(picture.body, { url: home, base64: Buffer.from(jpeg(800, 600).bytes).toString("base64") })
      const html = yield* send({ method: "GET", path: `${base}/${id}/html`, key })
      assert.deepInclude(html.body, { url: home })
      assert.include(String(html.body.html), "Welcome")
      const pointed = yield* send({ method: "GET", path: `${base}/${id}/elements`, key })
      assert.deepInclude(pointed.body, { ...picture.body, width: 800, height: 600 })
      const [first] = pointed.body.elements as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(first, { kind: "read", name: "Welcome", selectors: [{ selector: "//h1", matches: 1 }] })
      const ended = yield* send({ method: "DELETE", path: `${base}/${id}`, key })
      assert.deepInclude(ended.body, { status: "ended", terminal: true, isProcessing: false })
      const none = yield* send({ method: "GET", path: `${base}/${id}/screenshot`, key })
      assert.deepInclude(none.body, { statusCode: 409, code: "NO_BROWSER_ATTACHED", error: "Conflict" })
      const late = yield* send({ method: "POST", path: `${base}/${id}/message`, key, json: { text: "help" } })
      assert.deepInclude(late.body, { statusCode: 404, code: "CONVERSATION_NOT_FOUND" })
      const { body } = yield* send({ method: "GET", path: `${base}/sessions`, key })
      assert.deepEqual(body.sessions, [])
    })
  )

  it.effect("takes one message at a time, and can be interrupted", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { caller, key } = yield* member("Member")
      const { id } = yield* opened(key)
      const say = (text: string) => send({ method: "POST", path: `${base}/${id}/message`, key, json: { text } })
      assert.deepInclude((yield* say("delay 600")).body, { status: "processing", isProcessing: true })
      assert.deepInclude((yield* say("help")).body, { statusCode: 409, code: "SESSION_BUSY" })
      const { body } = yield* send({ method: "GET", path: `${base}/sessions`, key })
      const [session] = body.sessions as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(session, {
        conversationId: id,
        status: "processing",
        title: "Orders",
        workspaceId: caller.workspaceId
      })
      assert.strictEqual((yield* send({ method: "POST", path: `${base}/${id}/interrupt`, key })).status, 200)
      assert.deepInclude(yield* rested(key, id), { status: "idle" })
      assert.include(String((yield* tell(key, id, "please sign in")).text), 'Cannot read "please"')
    })
  )

  it.effect("begins with a workflow, whose missing inputs it asks for", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const one = yield* member("Member")
      const { key } = one
      const { clickId, id: workflowId } = yield* workflowOf(one)
      const open = (json: object) =>
        send({ method: "POST", path: `${base}/session/from-workflow`, key, json: { workflowId, ...json } })
      const asking = yield* open({ targetNodeId: clickId })
      const id = String(asking.body.conversationId)
      assert.deepInclude(asking.body, { status: "awaiting-human-input", workflowId })
      const { body } = yield* send({ method: "GET", path: `${base}/${id}/messages`, key })
      const [question] = body.messages as ReadonlyArray<{ id: string; question: { missing: ReadonlyArray<string> } }>
      assert.deepStrictEqual(question?.question.missing, ["user"])
      const fields = [{ name: "user", type: "string", description: "The input user" }]
      assert.deepInclude({ ...question } as Record<string, unknown>, {
        role: "assistant",
        status: "waiting_for_input",
        event_type: "interaction.inputs",
        content: { humanInputs: fields }
      })
      const state = () => send({ method: "GET", path: `${base}/${id}/turn-state`, key })
      const waiting = yield* state()
      assert.deepInclude(waiting.body, { phase: "awaiting-human-input", terminal: false, workflowId })
      assert.deepInclude(waiting.body.humanInput, { messageId: question?.id, fields })
      const respond = (json: object) => send({ method: "POST", path: `${base}/${id}/respond`, key, json })
      const messageId = question?.id
      assert.strictEqual((yield* respond({ messageId })).status, 400)
      assert.deepInclude((yield* respond({ messageId: randomUUID(), value: "me" })).body, { code: "MESSAGE_NOT_FOUND" })
      assert.deepInclude((yield* respond({ messageId, responses: {} })).body, { code: "VALIDATION_FAILED" })
      assert.isArray((yield* respond({ messageId, value: 5 })).body.run_input_variables_errors)
      assert.strictEqual((yield* respond({ messageId, responses: { user: "me" } })).status, 200)
      assert.deepInclude(yield* rested(key, id), { status: "completed" })
      assert.doesNotHaveAnyKeys((yield* state()).body, ["humanInput"])
      assert.deepInclude((yield* respond({ messageId, value: "me" })).body, { code: "ALREADY_ANSWERED" })
      assert.deepInclude((yield* tell(key, id, "next")).result, { action: "CLICK", done: true, url: list })
      assert.strictEqual((yield* open({ inputVariables: { user: 5 } })).status, 400)
      const wrong = yield* open({ targetNodeId: randomUUID(), inputVariables: { user: "me" } })
      assert.deepStrictEqual(
        (wrong.body.errors as ReadonlyArray<{ path: string }>).map(({ path }) => path),
        ["targetNodeId"]
      )
      assert.strictEqual((yield* open({ workflowId: randomUUID() })).status, 404)
    })
  )

  it.effect(
    "begins with the version that a run failed on, up to the node that failed, with the inputs of the run",
    () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const runs = yield* RunStore
        const one = yield* member("Member")
        const { key } = one
        const { clickId, id: workflowId, versionId } = yield* workflowOf(one)
        const start = { workflow_id: workflowId, run_input_variables: { user: "me" } }
        const { body: started } = yield* send({ method: "POST", path: "/run", key, json: start })
        const open = send({
          method: "POST",
          path: `${base}/session/from-failed-run`,
          key,
          json: { session_id: started.session_id }
        })
        assert.deepInclude((yield* open).body, { statusCode: 409, code: "RUN_NOT_FAILED" })
        const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
        assert.strictEqual(claimed?.run.id, started.session_id)
        const fence = claimed?.run.lease?.fence ?? 0
        const error = {
          ...failure(claimed?.run as Run, "SELECTOR-E0001", "No such element", 0),
          node: { id: clickId, name: "CLICK 1", action: "CLICK" }
        }
        yield* runs.settle({ id: claimed?.run.id as Run["id"], fence }, (locked, at) =>
          Transition.finish(locked, { _tag: "Failed", data: {}, errors: [error] }, at)
        )
        const present = yield* send({ method: "GET", path: `/workflows/${workflowId}`, key })
        yield* send({ method: "PUT", path: `/workflows/${workflowId}`, key, json: present.body })
        const opened = yield* open
        assert.strictEqual(opened.status, 201, opened.text)
        const id = String(opened.body.conversationId)
        yield* rested(key, id)
        const draft = yield* send({ method: "GET", path: `${base}/${id}/workflow`, key })
        assert.deepInclude(draft.body, { id: workflowId, version_id: versionId, version_number: 1 })
        // It is done up to the step that failed, and names the run and its error.
        const [first = ""] = Object.keys((draft.body.progress as { readonly steps: object }).steps)
        assert.deepInclude(draft.body, {
          cursor: { after: first, way: "to" },
          progress: { steps: { [first]: "done" }, last: first },
          repair: {
            sessionId: started.session_id,
            nodeId: clickId,
            errorCode: "SELECTOR-E0001",
            message: "No such element"
          },
          unsaved: false
        })
        assert.deepInclude((yield* tell(key, id, "next")).result, { nodeId: clickId, done: true, url: list })
        const nothing = yield* send({ method: "POST", path: `${base}/session/from-failed-run`, key, json: {} })
        assert.strictEqual(nothing.status, 400)
        const json = { sessionId: randomUUID() }
        assert.strictEqual(
          (yield* send({ method: "POST", path: `${base}/session/from-failed-run`, key, json })).status,
          404
        )
      })
  )

  it.effect("has the credential of the user that it was opened for, and says so when there is none", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const { id } = yield* opened(key, { permissionedUserId: "robot", authUrl: `${home}login` })
      const { body } = yield* send({ method: "GET", path: `${base}/${id}/workflow`, key })
      assert.deepEqual(body.vault_schema, { LOGIN: { type: "credential", domain: new URL(home).origin } })
      const said = yield* send({ method: "GET", path: `${base}/${id}/messages`, key })
      assert.include(said.text, "there is no such credential in the vault of this workspace. Opened")
      const wrong = yield* send({
        method: "POST",
        path: `${base}/session`,
        key,
        json: { name: "Orders", startUrl: home, permissionedUserId: "robot", authUrl: "no site" }
      })
      assert.strictEqual(wrong.status, 400)
      assert.deepStrictEqual(
        (wrong.body.errors as ReadonlyArray<{ path: string }>).map(({ path }) => path),
        ["authUrl"]
      )
    })
  )

  it.effect("is not saved over a version that another user saved meanwhile, unless it is forced", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const one = yield* member("Member")
      const { key } = one
      const { id: workflowId } = yield* workflowOf(one)
      const json = { workflowId, inputVariables: { user: "me" } }
      const { body } = yield* send({ method: "POST", path: `${base}/session/from-workflow`, key, json })
      const id = String(body.conversationId)
      yield* rested(key, id)
      const present = yield* send({ method: "GET", path: `/workflows/${workflowId}`, key })
      yield* send({ method: "PUT", path: `/workflows/${workflowId}`, key, json: { ...present.body, max_retries: 3 } })
      const save = (json: object) => send({ method: "POST", path: `${base}/${id}/save`, key, json })
      assert.deepInclude((yield* save({})).body, { statusCode: 409, code: "WORKFLOW_VERSION_CONFLICT" })
      assert.include(String((yield* tell(key, id, "save")).text), "Not saved: Cannot save over version 2")
      assert.deepInclude((yield* save({ force: true })).body, { version_number: 3 })
      const long = yield* save({ versionNote: "x".repeat(2_049) })
      assert.deepInclude(long.body, { statusCode: 400, code: "VERSION_NOTE_TOO_LONG", field: "version_note" })
    })
  )

  it.effect("is paged through from both ends", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const { id } = yield* opened(key)
      for (const text of ["help", "help", "help"]) yield* tell(key, id, text)
      const page = (query: string) =>
        Effect.map(
          send({ method: "GET", path: `${base}/${id}/messages${query}`, key }),
          ({ body }): Record<string, unknown> => ({
            ...body,
            messages: (body.messages as ReadonlyArray<{ number: number }>).map(({ number }) => number)
          })
        )
      const all = { total: 7, isProcessing: false }
      assert.deepEqual(yield* page(""), {
        ...all,
        messages: [1, 2, 3, 4, 5, 6, 7],
        offset: 0,
        limit: 100,
        tail: false,
        hasMore: false
      })
      assert.deepInclude(yield* page("?limit=2&offset=4"), { messages: [5, 6], hasMore: true })
      assert.deepInclude(yield* page("?limit=2&tail=true"), { messages: [6, 7], tail: true, hasMore: true })
      assert.deepInclude(yield* page("?limit=5&offset=2&tail=true"), { messages: [1, 2, 3, 4, 5], hasMore: false })
      assert.deepInclude(yield* page("?tail=1&limit=2"), { messages: [6, 7], tail: true })
      assert.deepInclude(yield* page("?tail=3"), { messages: [5, 6, 7], limit: 3, tail: true })
      assert.deepInclude(yield* page("?offset=50"), { messages: [], hasMore: false })
      for (const query of ["?limit=0", "?limit=1001", "?offset=-1", "?tail=perhaps"]) {
        const { body } = yield* send({ method: "GET", path: `${base}/${id}/messages${query}`, key })
        assert.deepInclude(body, { statusCode: 400, code: "VALIDATION_FAILED" })
      }
    })
  )

  it.effect("is streamed as it continues, in frames of their own, until it ends", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Member")
      const { id } = yield* opened(key)
      const stream = openRaw(url, `${base}/${id}/stream`, key)
      yield* Effect.promise(() => stream.until((body) => body.includes('"completed"')))
      yield* tell(key, id, "click #go")
      yield* Effect.promise(() => stream.until((body) => body.includes("Done: Click #go")))
      yield* send({ method: "DELETE", path: `${base}/${id}`, key })
      const body = yield* Effect.promise(() => stream.until((text) => text.includes('"ended"')))
      assert.include(stream.head(), "content-type: text/event-stream")
      assert.notInclude(body, "\r")
      for (const chunk of stream.chunks()) {
        if (chunk !== "") assert.match(chunk, /^(id: \d+\n)?event: \w+\ndata: [^\n]*\n\n$/)
      }
      const numbers = framesOf(body).flatMap(({ data, event }) =>
        event === "message" ? [(data as unknown as { number: number }).number] : []
      )
      assert.deepStrictEqual(numbers, [1, 2, 3])
      stream.close()
      const rest = openRaw(url, `${base}/${id}/stream`, key, { "last-event-id": "2" })
      const late = yield* Effect.promise(() => rest.until((text) => text.includes('"ended"')))
      assert.include(late, "id: 3\n")
      assert.notInclude(late, "id: 2\n")
      rest.close()
    })
  )

  it.effect("is streamed no longer than the key that asked for it is valid", () =>
    Effect.gen(function* () {
      const { member, revoke, url } = yield* Service
      const owner = yield* member("Owner")
      const guest = yield* member("Viewer", owner)
      const { id } = yield* opened(owner.key)
      const stream = openRaw(url, `${base}/${id}/stream`, guest.key, { connection: "close" })
      yield* Effect.promise(() => stream.until((body) => body.includes('"completed"')))
      yield* revoke(guest)
      yield* tell(owner.key, id, "click #go")
      yield* Effect.promise(() => stream.ended)
      assert.notInclude(stream.body(), "Click #go")
    })
  )

  it.effect("is refused when it could not begin, and opens no browser then", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const open = (json: object) => send({ method: "POST", path: `${base}/session`, key, json })
      assert.deepInclude((yield* open({ name: "x" })).body, { statusCode: 400, code: "VALIDATION_FAILED" })
      const unread = yield* open({ name: "x", startUrl: "{{context.inputs.site}}", inputSchema: { type: 5 } })
      assert.include(JSON.stringify(unread.body.errors), "inputSchema")
      assert.strictEqual((yield* open({ name: "x", startUrl: home, jsonExample: "[1]" })).status, 400)
      for (let count = 0; count < 20; count++)
        assert.strictEqual((yield* open({ name: "x", startUrl: home })).status, 201)
      assert.deepInclude((yield* open({ name: "x", startUrl: home })).body, {
        statusCode: 409,
        code: "TOO_MANY_SESSIONS"
      })
    })
  )
})
