import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

type Item = Readonly<Record<string, unknown>>

const asList = (body: unknown) => body as ReadonlyArray<Item>

const id = (suffix: string) => `00000000-0000-4000-8000-${suffix.padStart(12, "0")}`

const click = (own: string, name: string, selector = "//button") => ({
  workflowNode: { id: id(own), name, action: "CLICK", parameters: { execution: "STATIC", selector } },
  position: { x: 1.5, y: -2 }
})

/** A chain of clicks, each leading to the next. */
const chain = (...nodes: ReadonlyArray<ReturnType<typeof click>>) => ({
  nodes,
  workflowEdges: Object.fromEntries(
    nodes.slice(1).map((node, index) => [nodes[index]?.workflowNode.id, { to: node.workflowNode.id }])
  ),
  reactFlowEdges: [],
  vault_schema: {}
})

const user = click("c1", "User", "//input[1]")
const submit = click("c2", "Submit")

const [start, end] = graph().nodes

/** A workflow that holds a component of these nodes between its START and its END. */
const holding = (component: string, nodes: ReadonlyArray<ReturnType<typeof click>>, instance = component) => {
  const ids = [start, ...nodes.map(({ workflowNode }) => workflowNode), end].map((node) => String(node?.id))
  return {
    name: "Holder",
    nodes: [
      start,
      ...nodes.map(({ workflowNode }) => ({ ...workflowNode, source_component_instance_id: instance })),
      end
    ],
    edges: Object.fromEntries(ids.slice(1).map((to, index) => [ids[index], { to }])),
    vault_schema: { BANK: { type: "credential", domain: "own.example" } }
  }
}

const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Member")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
  const create = (componentData: unknown, name = "Login") =>
    Effect.map(ask("POST", "/workflow-components", { name, componentData }), ({ body }) => String(body.id))
  return { me, ask, create }
})

const pathsOf = (body: Item) => asList(body.errors).map(({ path }) => path)

it.layer(layerInMemory)("components", (it) => {
  it.effect("are created, listed, renamed and saved in versions of which each stays as it was", () =>
    Effect.gen(function* () {
      const { ask, me } = yield* setUp
      const first = chain(user, submit)
      const made = yield* ask("POST", "/workflow-components", {
        name: "Login",
        componentData: first,
        versionNote: "v1"
      })
      assert.strictEqual(made.status, 201)
      const path = `/workflow-components/${made.body.id}`
      const epoch = "1970-01-01T00:00:00.000Z"
      const summary = {
        id: made.body.id,
        name: "Login",
        created_at: epoch,
        updated_at: epoch,
        created_by: me.caller.userId
      }
      assert.deepStrictEqual(made.body, {
        ...summary,
        workspace_id: me.caller.workspaceId,
        component_data: first,
        version_number: 1,
        version_note: "v1"
      })
      assert.deepStrictEqual((yield* ask("GET", path)).body, made.body)
      assert.deepStrictEqual(asList((yield* ask("GET", "/workflow-components")).body), [summary])

      yield* TestClock.setTime(60_000)
      const second = chain(user)
      const saved = yield* ask("PUT", path, { componentData: second, propagate: false })
      assert.deepStrictEqual([saved.status, saved.body], [200, { version_number: 2, propagated: [], skipped: [] }])
      const renamed = yield* ask("PATCH", path, { name: "Sign in" })
      assert.deepStrictEqual(renamed.body, {
        ...made.body,
        name: "Sign in",
        updated_at: "1970-01-01T00:01:00.000Z",
        component_data: second,
        version_number: 2,
        version_note: null
      })
      const versions = asList((yield* ask("GET", `${path}/versions`)).body)
      assert.deepStrictEqual(
        versions.map(({ version_number }) => version_number),
        [2, 1]
      )
      assert.deepStrictEqual((yield* ask("GET", `${path}/versions/1`)).body, {
        id: versions[1]?.id,
        component_id: made.body.id,
        version_number: 1,
        component_data: first,
        created_at: epoch,
        version_note: "v1",
        created_by: me.caller.userId
      })
      for (const number of ["0", "3", "x"]) {
        assert.strictEqual((yield* ask("GET", `${path}/versions/${number}`)).status, 404)
      }
      // Names need not be unique: components are known by their ids.
      assert.strictEqual(
        (yield* ask("POST", "/workflow-components", { name: "Sign in", componentData: first })).status,
        201
      )
      const removed = yield* ask("DELETE", path)
      assert.deepStrictEqual([removed.status, removed.text], [204, ""])
      assert.strictEqual((yield* ask("GET", path)).status, 404)
      assert.strictEqual((yield* ask("DELETE", path)).status, 404)
    })
  )

  it.effect("are refused with every problem at its path, and with the code of a text that is too long", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const { dump } = yield* Service
      const component = yield* create(chain(user))
      const before = yield* dump
      const bad = {
        nodes: [
          user,
          { ...user, position: { x: 0, y: 0 } },
          { workflowNode: { id: "7", name: "No id", action: "CLICK", parameters: {} } },
          { workflowNode: { ...start } },
          click("c3", "Broken", "{{(}}")
        ],
        workflowEdges: { [id("c1")]: { to: id("ff") }, [id("fe")]: { to: id("c1") } },
        reactFlowEdges: [{ sourceId: id("c1"), targetId: id("fd") }],
        vault_schema: { BANK: { type: "secret" } }
      }
      const { body, status } = yield* ask("PUT", `/workflow-components/${component}`, { componentData: bad })
      assert.deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"])
      assert.deepStrictEqual(pathsOf(body), [
        "componentData.nodes[1].workflowNode.id",
        "componentData.nodes[2].workflowNode.id",
        "componentData.nodes[3].workflowNode.action",
        "componentData.nodes[4].workflowNode.parameters.selector",
        `componentData.workflowEdges.${id("c1")}.to`,
        `componentData.workflowEdges.${id("fe")}`,
        "componentData.reactFlowEdges[0].targetId",
        "componentData.vault_schema.BANK"
      ])
      const shape = yield* ask("POST", "/workflow-components", { name: "", componentData: { nodes: {} } })
      assert.deepStrictEqual([shape.status, pathsOf(shape.body)], [400, ["name", "componentData.nodes"]])
      const nodes = yield* ask("POST", "/workflow-components", { name: "A", componentData: { nodes: {} } })
      assert.deepStrictEqual(pathsOf(nodes.body), ["componentData.nodes"])
      const name = { code: "COMPONENT_NAME_TOO_LONG", field: "name", limit_chars: 100, actual_chars: 101 }
      const long = "x".repeat(101)
      assert.deepInclude((yield* ask("PATCH", `/workflow-components/${component}`, { name: long })).body, name)
      const created = yield* ask("POST", "/workflow-components", { name: long, componentData: chain(user) })
      assert.deepInclude(created.body, name)
      const note = yield* ask("PUT", `/workflow-components/${component}`, {
        componentData: chain(user),
        versionNote: "x".repeat(501)
      })
      assert.deepInclude(note.body, { field: "versionNote", limit_chars: 500, actual_chars: 501 })
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("carry a new version into the workflows that hold them, but not into the one it came from", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const component = yield* create({ ...chain(user, submit), vault_schema: {} })
      const hold = (instance?: string) =>
        Effect.map(ask("POST", "/workflows", holding(component, [user, submit], instance)), ({ body, text }) => {
          assert.isString(body.id, text)
          return String(body.id)
        })
      const [holder, source] = [yield* hold(), yield* hold(`${component}:${randomUUID()}`)]
      assert.sameMembers(
        asList((yield* ask("GET", `/workflow-components/${component}/usage`)).body).map((one) => one.id),
        [holder, source]
      )
      // The first node goes, one comes in front, and one at the end.
      const first = click("c3", "Open form", "//a")
      const last = click("c4", "Confirm", "//button[2]")
      const renamed = { ...submit, workflowNode: { ...submit.workflowNode, name: "Send" } }
      const saved = yield* ask("PUT", `/workflow-components/${component}`, {
        componentData: {
          ...chain(first, renamed, last),
          vault_schema: {
            BANK: { type: "credential", domain: "theirs.example" },
            MAIL: { type: "credential", domain: "mail.example" }
          }
        },
        sourceWorkflowId: source
      })
      assert.deepStrictEqual(saved.body, { version_number: 2, propagated: [holder], skipped: [] }, saved.text)
      const { body } = yield* ask("GET", `/workflows/${holder}`)
      assert.strictEqual(body.version_number, 2)
      assert.strictEqual(body.version_note, 'Version 2 of the component "Login"')
      assert.deepStrictEqual(
        asList(body.nodes).map(({ name }) => name),
        ["Open", "Open form", "Send", "Confirm", "Done"]
      )
      assert.deepStrictEqual(body.edges, {
        [String(start?.id)]: { to: id("c3") },
        [id("c3")]: { to: id("c2") },
        [id("c2")]: { to: id("c4") },
        [id("c4")]: { to: String(end?.id) }
      })
      assert.deepStrictEqual(body.vault_schema, {
        BANK: { type: "credential", domain: "own.example" },
        MAIL: { type: "credential", domain: "mail.example" }
      })
      assert.strictEqual((yield* ask("GET", `/workflows/${source}`)).body.version_number, 1)
    })
  )

  it.effect("leave a workflow alone that would not be valid any more, and say why", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const component = yield* create(chain(user, submit))
      const holder = String((yield* ask("POST", "/workflows", holding(component, [user, submit]))).body.id)
      const strict = yield* ask("POST", "/workflows", {
        ...holding(component, [user, submit]),
        input_schema: { type: "object", additionalProperties: false, properties: {} }
      })
      const reading = click("c2", "Submit", "//button[.='{{context.inputs.label}}']")
      const saved = yield* ask("PUT", `/workflow-components/${component}`, { componentData: chain(user, reading) })
      assert.deepStrictEqual(saved.body, {
        version_number: 2,
        propagated: [holder],
        skipped: [
          {
            workflow_id: strict.body.id,
            problems: [
              {
                path: "nodes[2].parameters.selector",
                message: 'Node "Submit" reads the input "label", which is not in input_schema'
              }
            ]
          }
        ]
      })
      assert.strictEqual((yield* ask("GET", `/workflows/${strict.body.id}`)).body.version_number, 1)
    })
  )

  it.effect("release their nodes when they are deleted", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const component = yield* create(chain(user))
      const holder = String((yield* ask("POST", "/workflows", holding(component, [user]))).body.id)
      const deleted = String((yield* ask("POST", "/workflows", holding(component, [user]))).body.id)
      yield* ask("DELETE", `/workflows/${deleted}`)
      assert.strictEqual((yield* ask("DELETE", `/workflow-components/${component}`)).status, 204)
      const { body } = yield* ask("GET", `/workflows/${holder}`)
      assert.strictEqual(body.version_number, 2)
      assert.deepStrictEqual(body.nodes, [start, user.workflowNode, end])
    })
  )

  it.effect("may be held twice by one workflow, each time under different ids", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const component = yield* create(chain(user))
      const instances = [`${component}:${randomUUID()}`, `${component}:${randomUUID()}`]
      const [one, other] = [id("d1"), id("d2")]
      const made = yield* ask("POST", "/workflows", {
        name: "Twice",
        nodes: [
          start,
          {
            ...user.workflowNode,
            id: one,
            source_component_instance_id: instances[0],
            source_component_node_id: id("c1")
          },
          {
            ...user.workflowNode,
            id: other,
            source_component_instance_id: instances[1],
            source_component_node_id: id("c1")
          },
          end
        ],
        edges: { [String(start?.id)]: { to: one }, [one]: { to: other }, [other]: { to: String(end?.id) } }
      })
      assert.strictEqual(made.status, 201, made.text)
      const saved = yield* ask("PUT", `/workflow-components/${component}`, { componentData: chain(user, submit) })
      assert.deepStrictEqual(saved.body.propagated, [made.body.id], saved.text)
      const { body } = yield* ask("GET", `/workflows/${made.body.id}`)
      assert.deepStrictEqual(
        asList(body.nodes).map(({ name }) => name),
        ["Open", "User", "Submit", "User", "Submit", "Done"]
      )
      assert.strictEqual(new Set(asList(body.nodes).map((node) => node.id)).size, 6)
      assert.deepStrictEqual(
        asList(body.nodes).map((node) => node.source_component_instance_id),
        [undefined, instances[0], instances[0], instances[1], instances[1], undefined]
      )
    })
  )
})
