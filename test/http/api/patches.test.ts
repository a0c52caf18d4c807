import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Offer } from "../../../core/workflow/patch/Patch.ts"
import { Patches } from "../../../core/workflow/patch/Patches.ts"
import { PatchStore } from "../../../core/workflow/patch/PatchStore.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { WorkflowId } from "../../../core/workspace/Ids.ts"
import { graphOf } from "../../support/browser.ts"
import { daily } from "../../support/fixtures.ts"
import { popupOffer } from "../../support/patches.ts"
import { layerInMemory, Service } from "../../support/service.ts"

type Fields = Readonly<Record<string, unknown>>

const press = (selector: string, more = {}) => ({
  name: "Nightly",
  ...graphOf("https://shop.example", [{ action: "CLICK", parameters: { selector, ...more } }]),
  popup_xpaths: ["//known"],
  enable_popup_handling: true,
  max_retries: 2
})

const [node] = press("").nodes.filter(({ action }) => action === "CLICK")

const selectorOffer = (before: string, after: string): Offer => ({
  kind: "selector",
  nodeId: node?.id ?? "",
  nodeName: node?.name ?? "",
  parameter: "selector",
  before,
  after,
  reason: "It was renamed"
})

it.layer(layerInMemory)("the changes that runs offer", (it) => {
  const setUp = (body: object) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { caller, key } = yield* member("Member")
      const json = { ...body, run_window: daily(9, 17) }
      const made = yield* send({ method: "POST", path: "/workflows", key, json })
      assert.strictEqual(made.status, 201, made.text)
      const id = String(made.body.id)
      const path = `/workflows/${id}`
      const patches = yield* Patches
      return {
        key,
        path,
        workspaceId: caller.workspaceId,
        get: send({ method: "GET", path, key }),
        list: Effect.map(
          send({ method: "GET", path: `${path}/patches`, key }),
          ({ body: all }) => all as unknown as ReadonlyArray<Fields>
        ),
        decide: (patch: unknown, what: "apply" | "dismiss") =>
          send({ method: "POST", path: `${path}/patches/${patch}/${what}`, key }),
        offer: (offer: Offer, run = randomUUID()) => patches.offer(caller.workspaceId, WorkflowId.make(id), offer, run)
      }
    }).pipe(Effect.provide(Patches.layer), Effect.provide(Workflows.layer))

  it.effect("are listed with how many runs brought them, each once", () =>
    Effect.gen(function* () {
      const { list, offer } = yield* setUp(press("//old"))
      const change = selectorOffer("//old", "//new")
      const [one, two] = [randomUUID(), randomUUID()]
      yield* offer(change, one)
      yield* offer(change, one)
      yield* offer(change, two)
      yield* offer(popupOffer("//close"))
      const all = yield* list
      assert.deepStrictEqual(
        all.map(({ after, confirmations, state }) => [after, confirmations, state]),
        [
          ["//new", 2, "offered"],
          ["//close", 1, "offered"]
        ]
      )
      assert.deepInclude(all[0], { first_session_id: one, last_session_id: two, node_id: node?.id })
    })
  )

  it.effect("become the next version when they are applied, and change nothing else", () =>
    Effect.gen(function* () {
      const { decide, get, list, offer } = yield* setUp(press("//old", { wait_time: 500 }))
      yield* offer(selectorOffer("//old", "//new"))
      yield* offer(popupOffer("//close"))
      yield* offer({ ...selectorOffer("", ""), kind: "wait_time", parameter: "wait_time", before: 500, after: 4_000 })
      const before = (yield* get).body
      for (const { id } of yield* list) {
        const applied = yield* decide(id, "apply")
        assert.deepInclude(applied.body, { state: "applied" }, applied.text)
      }
      const after = (yield* get).body
      const [, clicked] = after.nodes as ReadonlyArray<{ readonly parameters: Fields }>
      assert.deepStrictEqual(clicked?.parameters, { selector: "//new", wait_time: 4_000 })
      assert.deepStrictEqual(after.popup_xpaths, ["//known", "//close"])
      assert.strictEqual(after.version_number, 4)
      const same = ["run_window", "edges", "name", "max_retries", "enable_popup_handling", "output_schema"]
      for (const name of same) assert.deepStrictEqual(after[name], before[name], name)
      assert.deepStrictEqual(
        (yield* list).map(({ applied_version_number }) => applied_version_number),
        [2, 3, 4]
      )
    })
  )

  it.effect(
    "are refused when the node changed meanwhile, when they were decided about, and when they break the graph",
    () =>
      Effect.gen(function* () {
        const { decide, get, key, list, offer, path } = yield* setUp(press("//old"))
        const { send } = yield* Service
        yield* offer(selectorOffer("//old", "//new"))
        yield* offer(selectorOffer("//other", ""))
        yield* offer(popupOffer("//known"))
        const [renamed, broken, known] = yield* list
        const changed = yield* send({ method: "PUT", path, key, json: press("//other") })
        assert.strictEqual(changed.status, 200, changed.text)
        for (const [patch, status] of [
          [renamed, 409],
          [broken, 400],
          [known, 409]
        ] as const) {
          const refused = yield* decide(patch?.id, "apply")
          assert.strictEqual(refused.status, status, refused.text)
        }
        assert.strictEqual((yield* get).body.version_number, 2)
        assert.deepInclude((yield* decide(renamed?.id, "dismiss")).body, { state: "dismissed" })
        for (const what of ["apply", "dismiss"] as const) {
          assert.strictEqual((yield* decide(renamed?.id, what)).status, 409)
        }
        yield* offer(selectorOffer("//old", "//new"))
        assert.deepInclude((yield* list)[0], { state: "dismissed", confirmations: 2 })
      })
  )

  it.effect("are found under their own workflow only", () =>
    Effect.gen(function* () {
      const mine = yield* setUp(press("//a"))
      const other = yield* setUp(press("//a"))
      yield* mine.offer(popupOffer())
      const [patch] = yield* mine.list
      assert.strictEqual((yield* other.decide(patch?.id, "apply")).status, 404)
      assert.strictEqual((yield* mine.decide("nothing", "dismiss")).status, 404)
    })
  )

  it.effect("go with their workflow, and what its last runs offer is not kept", () =>
    Effect.gen(function* () {
      const { key, list, offer, path, workspaceId } = yield* setUp(press("//a"))
      const { send } = yield* Service
      yield* offer(popupOffer())
      assert.lengthOf(yield* list, 1)
      assert.strictEqual((yield* send({ method: "DELETE", path, key })).status, 200)
      yield* offer(popupOffer())
      assert.strictEqual((yield* send({ method: "GET", path: `${path}/patches`, key })).status, 404)
      assert.deepStrictEqual(yield* (yield* PatchStore).list(workspaceId), [])
    })
  )
})
