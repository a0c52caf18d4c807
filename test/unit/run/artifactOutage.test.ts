import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { HttpRouter } from "effect/http"
import { TestClock } from "effect/testing"
import { routes } from "../../../apps/api/run/ArtifactRoutes.ts"
import { ArtifactFiles, ArtifactsUnavailable } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import { OpenedArtifacts } from "../../../core/run/artifact/OpenedArtifacts.ts"
import { RunArtifacts } from "../../../core/run/artifact/RunArtifacts.ts"
import { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import * as Supervisor from "../../../core/runtime/Supervisor.ts"
import { Identifiers } from "../../../core/workspace/Identifiers.ts"
import { RunId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"

const refused = (action: "keep" | "read") => Effect.fail(new ArtifactsUnavailable({ action, reason: "refused" }))

/** A store of artifacts that is away. */
const away = Layer.mock(ArtifactFiles, { put: () => refused("keep"), find: () => refused("read") })

/** What is logged with a supervisor of its own. */
const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => {
    lines.push(String(Array.isArray(message) ? message[0] : message))
  })
  const layer = Layer.mergeAll(Logger.layer([logger]), Layer.succeed(Supervisor.Supervisor, Supervisor.make()))
  return { lines, layer }
}

const run = {
  id: RunId.make("00000000-0000-4000-8000-000000000001"),
  workflowId: WorkflowId.make("00000000-0000-4000-8000-000000000002"),
  workspaceId: WorkspaceId.make("00000000-0000-4000-8000-000000000004")
}
const picture = { mediaType: "image/jpeg", fileName: null, bytes: new Uint8Array(9) }

/** The artifacts of runs whose records are kept, or are not. */
const writing = (isDatabaseAway: boolean) => {
  const counts = { leftOut: 0 }
  const gone = Effect.fail(new StoreUnavailable({ reason: "refused" }))
  const of = <A>(value: A) => (isDatabaseAway ? gone : Effect.succeed(value))
  const store = Layer.mock(ArtifactStore, {
    used: () => of({ count: 0, bytes: 0, videos: 0 } as never),
    begin: () => of(undefined),
    forget: () => of(undefined),
    leaveOut: () => Effect.tap(of(undefined), () => Effect.sync(() => counts.leftOut++))
  })
  const ids = Layer.mock(Identifiers, { uuid: Effect.succeed("00000000-0000-4000-8000-000000000003") })
  return { counts, layer: RunArtifacts.layer.pipe(Layer.provide([store, away, ids])) }
}

describe("an outage of the store of artifacts", () => {
  it.effect("is logged once in ten seconds, however many artifacts runs do without", () =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      const { counts, layer: artifacts } = writing(false)
      yield* Effect.gen(function* () {
        const writer = (yield* RunArtifacts).of(run)
        for (let second = 0; second < 25; second++) {
          yield* Effect.forEach([1, 2, 3], () => Effect.flip(writer.write("screenshot", picture)))
          yield* TestClock.adjust("1 second")
        }
      }).pipe(Effect.provide(artifacts), Effect.provide(layer))
      assert.strictEqual(counts.leftOut, 75)
      const line = "Cannot keep a screenshot of the run: Cannot keep artifacts: refused"
      assert.deepStrictEqual(lines, [line, line, line])
    })
  )

  it.effect("that the database has as well is one line more", () =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      yield* Effect.gen(function* () {
        const [both, one] = [writing(true), writing(false)]
        for (const { layer: artifacts } of [both, one, both, one]) {
          const writer = Effect.map(RunArtifacts, (all) => all.of(run))
          yield* Effect.flatMap(writer, (to) => Effect.flip(to.write("screenshot", picture))).pipe(
            Effect.provide(Layer.fresh(artifacts))
          )
        }
      }).pipe(Effect.provide(layer))
      assert.lengthOf(lines, 2)
      assert.match(lines[0] ?? "", /The database cannot be reached: refused$/)
      assert.match(lines[1] ?? "", /Cannot keep artifacts: refused$/)
    })
  )

  it.live("is logged once in ten seconds, however many pictures are asked for", () =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      const links = Layer.mock(ArtifactLinks, { verify: () => Effect.succeed(true) })
      const context = yield* Layer.build(Layer.mergeAll(links, away, layer))
      const opened = Layer.mock(OpenedArtifacts, {})
      const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(routes, opened), { disableLogger: true })
      const asked = () => handler(new Request("http://localhost/artifacts/1?expires=1&signature=a"), context)
      const answers = yield* Effect.promise(() => Promise.all(Array.from({ length: 20 }, asked)))
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [503])
      assert.deepStrictEqual(lines, ["Cannot read artifacts: refused"])
      yield* Effect.promise(dispose)
    }).pipe(Effect.scoped)
  )
})
