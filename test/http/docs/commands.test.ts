/** The commands of the README and of the pages on streams and live views, sent to a service. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Commands from "../../docs/Commands.ts"
import { fencesOf, pages } from "../../docs/Pages.ts"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const pageOf = (path: string) => pages().find((page) => page.path === path) ?? assert.fail(`There is no ${path}`)

/** The lines of a frame with the names in its data, in their order. */
const shapeOf = (frame: string) =>
  frame
    .trim()
    .split("\n")
    .map((line) => {
      const [, name = "", value = ""] = /^(\w+): (.*)$/.exec(line) ?? []
      return name === "data"
        ? `data: ${JSON.stringify(JSON.parse(value), (_key, one) => (typeof one === "object" ? one : typeof one))}`
        : name
    })

it.layer(layerInMemory, { excludeTestServices: true })("the commands", (it) => {
  it.effect("of the README list and save workflows, start a run and read its record", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { key } = yield* member("Owner")
      const cwd = yield* Commands.folder
      const all = Commands.below(pageOf("README.md"), "A first request")
      const [list = "", save = "", start = "", read = ""] = all.map((one) => one.replaceAll("localhost:8787", url))
      assert.lengthOf(all, 4)
      assert.strictEqual(yield* Commands.print(list, cwd, { KEY: key }), "[]")
      const saved = yield* Commands.run(save, cwd, { KEY: key })
      assert.strictEqual(saved.name, "Title of a page")
      const started = yield* Commands.run(start, cwd, { KEY: key, WORKFLOW: String(saved.id) })
      const session = String(started.session_id)
      const record = yield* Commands.run(read, cwd, { KEY: key, RUN: session })
      assert.strictEqual(record.session_id, session)
      assert.isArray(record.holds)
    }).pipe(Effect.scoped)
  )

  it.effect("of the pages on streams and live views follow a run and get an address to watch it", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const cwd = yield* Commands.folder
      const run = (command: string) => Commands.print(command.replaceAll("localhost:8787", url), cwd, { KEY: key })
      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "W", ...graph() } })
      const json = { workflow_id: made.body.id }
      const session = String((yield* send({ method: "POST", path: "/run", key, json })).body.session_id)
      // At some hours the window of the README's workflow is open, and its run waits too.
      const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 10, leaseMillis: 60_000 })
      assert.include(
        claimed.map(({ run }): string => run.id),
        session
      )

      const views = Commands.below(pageOf("docs/live-view.md")).map((one) => one.replace("SESSION_ID", session))
      assert.lengthOf(views, 2)
      for (const view of views) assert.match(yield* run(view), /"url":"http/)

      yield* send({ method: "POST", path: `/run/${session}/interrupt`, key })
      const [follow = ""] = Commands.below(pageOf("docs/streams.md"))
      const events = yield* run(follow.replace("SESSION_ID", session))
      const shown = fencesOf(pageOf("docs/streams.md")).find(({ text }) => text.startsWith("id: "))?.text ?? ""
      const queued = events.split("\n\n").find((frame) => frame.includes("execution.queued")) ?? ""
      assert.deepStrictEqual(shapeOf(shown), shapeOf(queued))
      assert.include(events, "execution.start")
      assert.include(events, "execution.stopped")
    }).pipe(Effect.scoped)
  )
})
