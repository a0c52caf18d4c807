/**
 * Names whose name servers never answer: a page, a webhook or a proxy that uses them slows down nothing else.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { stat } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Names from "../../../adapters/http/Names.ts"
import * as SystemNames from "../../../adapters/http/SystemNames.ts"
import * as Guard from "../../../adapters/playwright/walls/Guard.ts"
import { Sender } from "../../../core/event/webhook/Sender.ts"
import { testMillis } from "../../support/limits.ts"
import { nameServer } from "../../support/nameServer.ts"
import { receiver } from "../../support/receiver.ts"
import { html, serve } from "../../support/site.ts"
import { until } from "../../support/waiting.ts"

const bare: SystemNames.SystemNames = {
  hosts: async () => new Map(),
  search: async () => ({ domains: [], ndots: 1 })
}

/** Silent for every name but the ones that are given. */
const mostlySilent = (known: Readonly<Record<string, ReadonlyArray<string>>>) =>
  nameServer((name) => known[name] ?? null)

const codeOf = (names: Names.Names, name: string): Promise<unknown> =>
  names.resolve(name).then(
    () => "resolved",
    (error: Names.NotResolved) => error.code
  )

/** Asks a guard for a tunnel. The answer's first line, once there is one. */
const tunnel = (guard: Guard.Guard, authority: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(Number(new URL(guard.server).port), "127.0.0.1", () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`)
    )
    socket.once("data", (piece) => resume(Effect.succeed(String(piece).split("\r\n")[0] ?? "")))
    socket.on("error", () => {})
    return Effect.sync(() => void socket.destroy())
  })

/** What was looked up is remembered for as long as a test may last. */
const remembering = { negativeMillis: testMillis, positiveMillis: testMillis }

const silentNames = Array.from({ length: 64 }, (_, index) => `silent${index}.test`)

describe("names that are not answered for", () => {
  it.live("a page that asks for 64 of them stops neither other sessions, nor files, nor webhooks", () =>
    Effect.gen(function* () {
      const site = new URL(yield* serve({ "/": html("here") }))
      const own = yield* receiver(200)
      const { server } = yield* mostlySilent({ "good.test": ["127.0.0.1"] })
      const options = { ...Names.forSession, servers: [server], system: bare }
      const session = () =>
        Guard.make({
          allowed: new Set(),
          allowPrivateNetworks: true,
          upstream: null,
          resolve: Names.make(options).resolve
        })
      const url = own.url.replace("127.0.0.1", "good.test")
      const post = Effect.flatMap(Sender, (sender) => sender.post({ url, headers: {}, body: "{}" })).pipe(
        Effect.provide(
          HttpSender.layer({
            ...HttpSender.defaults,
            allowPrivateNetworks: true,
            names: { ...Names.defaults, servers: [server], system: bare }
          })
        )
      )
      /** How many silent names were given up, which takes seconds, before all else was done. */
      const givenUp = Effect.gen(function* () {
        let count = 0
        const [hostile, other] = [yield* session(), yield* session()]
        const given = Effect.sync(() => count++)
        for (const name of silentNames) {
          yield* Effect.forkScoped(Effect.andThen(tunnel(hostile, `${name}:443`), given))
        }
        assert.include(yield* tunnel(other, `good.test:${site.port}`), "200")
        yield* Effect.promise(() => stat("."))
        assert.deepInclude(yield* post, { _tag: "Answered", status: 200 })
        return count
      }).pipe(Effect.scoped)
      // What had to wait for them would come later in each round; what has not may do so on a busy machine.
      yield* until("what does not wait for silent names", givenUp, (count) => count === 0)
    }).pipe(Effect.scoped)
  )

  it.live("fail within the deadline, and for a while at once", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* mostlySilent({})
      const names = Names.make({
        ...Names.defaults,
        deadlineMillis: 300,
        ...remembering,
        servers: [server],
        system: bare
      })
      assert.strictEqual(yield* Effect.promise(() => codeOf(names, "silent.test")), "EAI_AGAIN")
      const before = asked.length
      assert.strictEqual(yield* Effect.promise(() => codeOf(names, "silent.test")), "EAI_AGAIN")
      assert.strictEqual(asked.length, before)
    }).pipe(Effect.scoped)
  )

  it.live("are looked up a bounded number at a time in each session, and those beyond the queue fail at once", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* mostlySilent({})
      const bounds = { concurrent: 4, waiting: 8, deadlineMillis: 700 }
      const names = Names.make({ ...Names.defaults, ...bounds, servers: [server], system: bare })
      const codes = yield* Effect.promise(() => Promise.all(silentNames.map((name) => codeOf(names, name))))
      assert.deepEqual(new Set(codes), new Set(["EAI_AGAIN"]))
      assert.isAtMost(new Set(asked).size, bounds.concurrent + bounds.waiting)
    }).pipe(Effect.scoped)
  )
})

describe("looking names up", () => {
  it.live("asks once for a name that many connections want, and remembers what it is", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* mostlySilent({ "good.test": ["192.0.2.1", "192.0.2.2"], "gone.test": [] })
      const names = Names.make({ ...Names.defaults, ...remembering, servers: [server], system: bare })
      const all = yield* Effect.promise(() => Promise.all(["good.test", "GOOD.test"].map(names.resolve)))
      assert.deepEqual(all, [
        ["192.0.2.1", "192.0.2.2"],
        ["192.0.2.1", "192.0.2.2"]
      ])
      for (const _ of [1, 2]) assert.strictEqual(yield* Effect.promise(() => codeOf(names, "gone.test")), "ENOTFOUND")
      assert.deepEqual(asked, ["good.test", "gone.test"])
    }).pipe(Effect.scoped)
  )

  it.live("tries at most eight addresses of a name", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 25 }, (_, index) => `192.0.2.${index + 1}`)
      const { server } = yield* mostlySilent({ "many.test": many })
      const names = Names.make({ ...Names.defaults, servers: [server], system: bare })
      assert.strictEqual((yield* Effect.promise(() => names.resolve("many.test"))).length, 8)
    }).pipe(Effect.scoped)
  )

  it.live("takes names of the hosts file, localhost and search domains as the machine does", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* mostlySilent({ "hooks.svc.cluster.test": ["10.0.0.7"] })
      const machine = {
        hosts: async () =>
          SystemNames.parseHosts("# own\n10.0.0.5 DB.internal db # the database\nfe80::1 db\nnothing x\n"),
        search: async () => SystemNames.parseSearch("search svc.cluster.test\noptions timeout:1 ndots:5\n")
      }
      const names = Names.make({ ...Names.defaults, servers: [server], system: machine })
      const resolved = (name: string) => Effect.promise(() => names.resolve(name))
      assert.deepEqual(yield* resolved("db.internal."), ["10.0.0.5"])
      assert.deepEqual(yield* resolved("db"), ["10.0.0.5", "fe80::1"])
      assert.deepEqual(yield* resolved("a.localhost"), ["127.0.0.1", "::1"])
      assert.deepEqual(yield* resolved("hooks"), ["10.0.0.7"])
      assert.deepEqual(asked, ["hooks.svc.cluster.test"])
    }).pipe(Effect.scoped)
  )

  it.each([
    ["a.b.", { domains: ["d"], ndots: 5 }, ["a.b"]],
    ["a.b", { domains: ["d", "e"], ndots: 1 }, ["a.b", "a.b.d", "a.b.e"]],
    ["a", { domains: ["d"], ndots: 1 }, ["a.d", "a"]],
    ["a", { domains: [], ndots: 1 }, ["a"]]
  ] as const)("asks for %s in turn as its search domains say", (name, search, expected) => {
    assert.deepEqual(SystemNames.candidatesOf(name, search), expected)
  })

  it.live("an error never says to which address a name leads", () =>
    Effect.gen(function* () {
      const address = "169.254.169.254"
      const { server } = yield* mostlySilent({ "meta.test": [address] })
      const options = { ...Names.defaults, servers: [server], system: bare }
      const guard = yield* Guard.make({
        allowed: new Set(),
        allowPrivateNetworks: false,
        upstream: null,
        resolve: Names.make(options).resolve
      })
      assert.include(yield* tunnel(guard, "meta.test:443"), "403")
      const reason = guard.refusal("meta.test", 443)?.reason ?? ""
      assert.include(reason, "meta.test is at a private or loopback address")
      assert.notInclude(reason, address)
      const sent = yield* Effect.flatMap(Sender, (sender) =>
        sender.post({ url: "http://meta.test/", headers: {}, body: "{}" })
      ).pipe(Effect.provide(HttpSender.layer({ ...HttpSender.defaults, names: options })))
      assert.strictEqual(sent._tag, "Refused")
      assert.notInclude(JSON.stringify(sent), address)
    }).pipe(Effect.scoped)
  )
})

describe("the source", () => {
  const files = (folder: string): ReadonlyArray<string> =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? files(path) : path.endsWith(".ts") ? [path] : []
    })

  it("looks names up on no thread of the process", () => {
    const root = join(import.meta.dirname, "../../..")
    const found = ["core", "adapters", "apps"]
      .flatMap((folder) => files(join(root, folder)))
      .filter((path) => /import \{[^}]*\blookup\b[^}]*\} from "node:dns/.test(readFileSync(path, "utf8")))
    assert.deepEqual(found, [])
  })
})
