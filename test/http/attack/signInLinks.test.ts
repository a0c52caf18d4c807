/** How many sign-in links there may be: a flood of them neither fills the store nor lies about as open doors. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { linkLimits, SignIns } from "../../../core/workspace/signin/SignIns.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import * as SetClock from "../../support/setClock.ts"

const clock = SetClock.make()
const service = Layer.fresh(layerInMemory).pipe(Layer.provide(clock.layer))

const make = ({ key }: Member) =>
  Effect.flatMap(Service, ({ send }) => send({ method: "POST", path: "/sign-in-links", key }))

const use = (link: unknown) =>
  Effect.flatMap(Service, ({ send, url }) =>
    send({ method: "POST", path: "/console/session", json: { link }, headers: { origin: url } })
  )

const start = 1_800_000_000_000
const minute = 60_000

it.layer(service)("sign-in links", (it) => {
  it.effect("are refused beyond the unused ones of a key, until one is used or expires", () =>
    Effect.gen(function* () {
      yield* clock.set(start)
      const { member } = yield* Service
      const one = yield* member("Viewer")
      const other = yield* member("Viewer", one)
      const made = yield* Effect.forEach(Array.from({ length: linkLimits.unusedOfKey }), () => make(one))
      assert.isTrue(made.every(({ status }) => status === 201))
      yield* clock.set(start + 10 * minute)
      const refused = yield* make(one)
      assert.deepStrictEqual(
        [refused.status, refused.headers.get("retry-after"), refused.body],
        [
          429,
          "3000",
          {
            statusCode: 429,
            error: "Too Many Requests",
            message:
              "Cannot make a sign-in link: the limit is 20 unused links of one API key. Use one that was made, or try again in 50 minutes",
            limit: 20,
            remaining: 0,
            retryAfterSeconds: 3_000
          }
        ]
      )
      assert.strictEqual((yield* make(other)).status, 201)
      assert.strictEqual((yield* use(made[0]?.body.link)).status, 200)
      assert.strictEqual((yield* make(one)).status, 201)
      assert.strictEqual((yield* make(one)).status, 429)
      yield* clock.set(start + 60 * minute)
      assert.strictEqual((yield* make(one)).status, 201)
    })
  )

  it.effect("are refused beyond those that a key makes in an hour, used or not", () =>
    Effect.gen(function* () {
      yield* clock.set(start)
      const one = yield* (yield* Service).member("Viewer")
      for (let made = 0; made < linkLimits.hourlyOfKey; made++) {
        yield* clock.set(start + made * 1_000)
        assert.strictEqual((yield* use((yield* make(one)).body.link)).status, 200)
      }
      const refused = yield* make(one)
      assert.deepInclude(refused.body, { limit: linkLimits.hourlyOfKey })
      assert.strictEqual(refused.headers.get("retry-after"), String(3_600 - linkLimits.hourlyOfKey + 1))
      yield* clock.set(start + 60 * minute + 1)
      assert.strictEqual((yield* make(one)).status, 201)
    })
  )

  it.effect("are refused beyond the unused ones of a workspace, however many keys make them", () =>
    Effect.gen(function* () {
      yield* clock.set(start)
      const { member } = yield* Service
      const owner = yield* member("Owner")
      const statuses = []
      for (let made = 0; made <= linkLimits.unusedOfWorkspace; made += linkLimits.unusedOfKey) {
        const one = yield* member("Viewer", owner)
        for (let own = 0; own < linkLimits.unusedOfKey; own++) statuses.push((yield* make(one)).status)
      }
      assert.lengthOf(
        statuses.filter((status) => status === 201),
        linkLimits.unusedOfWorkspace
      )
      assert.deepInclude((yield* make(owner)).body, { limit: linkLimits.unusedOfWorkspace })
      assert.strictEqual((yield* make(yield* member("Owner"))).status, 201)
    })
  )

  it.effect("of an operator at the command line have no limit", () =>
    Effect.gen(function* () {
      yield* clock.set(start)
      const { caller } = yield* (yield* Service).member("Owner")
      const { keyId = "", workspaceId } = caller
      const signIns = yield* SignIns
      const links = yield* Effect.forEach(Array.from({ length: linkLimits.unusedOfKey + 1 }), () =>
        signIns.link({ workspaceId }, keyId)
      )
      assert.lengthOf(links, linkLimits.unusedOfKey + 1)
    }).pipe(Effect.provide(SignIns.layer))
  )
})
