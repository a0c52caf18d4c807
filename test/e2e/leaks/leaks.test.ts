/**
 * Secrets that occur nowhere else are planted wherever one may be kept or typed, the service does all that it can do with them,
 * and nothing that it produced on the way has one of them in it.
 */
import { randomInt, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DemoUser } from "../../../apps/demo/DemoUsers.ts"
import type { Message } from "../../../apps/demo/SignIn.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { type Canary, canary, codeCanary, leaksIn, part, plainCanary } from "../../support/canaries.ts"
import { credentialOf, signInWorkflow } from "../../support/demoSite.ts"
import { type Asked, calls, type Reply, says, wordsOf } from "../../support/modelServer.ts"
import { masterKey } from "../../support/processes.ts"
import { sampled } from "../../support/scale.ts"
import { seal } from "../../support/sealed.ts"
import * as EchoSite from "./EchoSite.ts"
import * as LeakHarness from "./LeakHarness.ts"

const planted: Array<Canary> = [part]

const plant = (one: Canary): string => {
  planted.push(one)
  return one.value
}

/** A visitor of the site with a unique name and password. */
const visitor = (name: string, second: DemoUser["second"]): DemoUser => ({
  user: plant(canary(`user name of ${name}`)),
  password: plant(canary(`password of ${name}`)),
  second
})

/** Random letters of a TFA secret. */
const letters = (length: number): string =>
  Array.from({ length }, () => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[randomInt(32)]).join("")

const mark = letters(12)

const app = (name: string, counts: boolean): DemoUser => {
  const value = mark + letters(20)
  return visitor(name, { _tag: "app", secret: plant({ name: `TFA secret of ${name}`, value, mark }), counts })
}

const users = {
  plain: visitor("plain", null),
  timed: app("timed", false),
  counting: app("counting", true),
  mailed: visitor("mailed", { _tag: "sent", by: "mail" }),
  texted: visitor("texted", { _tag: "sent", by: "text" }),
  linked: visitor("linked", { _tag: "link" }),
  person: visitor("person", { _tag: "sent", by: "person" })
} as const satisfies Readonly<Record<string, DemoUser>>

/** Codes and links are as secret as what they stand in for. */
const sent = ({ secret, demoUser: { second } }: Message): void => {
  if (second?._tag === "link") plant({ name: "ticket of a link", value: secret.split("ticket=")[1] ?? secret })
  else plant(codeCanary("code", secret))
}

const cookie = plainCanary("cookie")
const stored = [
  canary("local storage"),
  canary("session storage"),
  plainCanary("header"),
  plainCanary("proxy")
] as const

/** The state of a browser, each part of it a secret. */
const browserState = (site: string) => ({
  cookies: [{ name: "remembered", value: plant(cookie), domain: new URL(site).hostname, path: "/" }],
  local_storage: { token: plant(stored[0]) },
  session_storage: { token: plant(stored[1]) },
  headers: [{ name: "x-customer-token", value: plant(stored[2]) }],
  persist_cookies: true,
  persist_local_storage: true,
  persist_session_storage: true
})

const vaultSchema = (site: string) => ({ SITE: { type: "credential", domain: site } })
const fill = (field: "user" | "password", name: string) => ({
  action: "INPUT_TEXT",
  parameters: { selector: `//input[@id='${field}']`, text: `{{context.inputs.SITE.${name}}}` }
})

/** Workflows that fail, or tell, with a secret in what they would say of it. */
const careless = (site: string): ReadonlyArray<readonly [string, object]> => {
  const secrets =
    "{{context.inputs.SITE.PASSWORD}} {{context.inputs.SITE.USER_NAME}} {{context.inputs.SITE.TFA_SECRET}}"
  const step = (name: string, action: string, parameters: object, to?: Step["to"]): readonly [string, object] => [
    name,
    {
      name,
      max_retries: 0,
      enable_network_listener: true,
      record: true,
      output_schema: { type: "object", properties: { read: {}, answer: {} } },
      vault_schema: vaultSchema(site),
      ...graphOf(`${site}/login`, [
        fill("user", "USER_NAME"),
        { action, parameters: parameters as Record<string, unknown>, ...(to === undefined ? {} : { to }) },
        {
          action: "EXTRACT_DATAMODEL",
          parameters: {
            selector: "//never",
            wait_time: 100,
            extract_data_model: { type: "object", properties: { never: { type: "string", path: "//never" } } }
          }
        }
      ])
    }
  ]
  return [
    step("A selector with secrets", "CLICK", { selector: `//b[.="${secrets}"]`, wait_time: 100 }),
    step("An address with secrets", "NAVIGATE", {
      url: `${site}/orders/{{$encodeUrlComponent(context.inputs.SITE.PASSWORD)}}?p=${secrets}`
    }),
    step("An address that cannot be", "NAVIGATE", { url: `ftp://${secrets}` }),
    step("An expression that fails with a secret", "NAVIGATE", { url: "{{$error(context.inputs.SITE.PASSWORD)}}" }),
    step("A secret where all can read it", "INPUT_TEXT", { selector: "//input[@id='user']", text: secrets }),
    step("A question with secrets", "USER_INTERACTION", {
      server_message: `Is it ${secrets}?`,
      timeout: 1_000,
      expected_datamodel: { type: "object", properties: { answer: { type: "string" } } }
    }),
    step("An option that is a secret", "INPUT_SELECT", {
      selector: "//input[@id='user']",
      value: secrets,
      wait_time: 100
    }),
    step(
      "A condition over secrets",
      "BOOL_CONDITION",
      {
        comparison_operator: "EQUAL",
        comparison_value_1: secrets,
        comparison_value_2: "{{context.inputs.SITE.USER_NAME}}",
        error_on_false_message: "They differ"
      },
      { yes: 3, no: 4 }
    )
  ]
}

/** Those that would tell a secret by what a step does next. */
const refusedAtSave = new Set([
  "A selector with secrets",
  "An expression that fails with a secret",
  "A condition over secrets"
])

/** Of a credential that several runs have at once. */
const shared = { allow_multiple_sessions: true }

/** A model that repeats its input as far as it can. */
const reply = (asked: Asked): Reply => {
  const words = wordsOf(asked)
  const told = /\{\{secret:\d+\}\}/.exec(words)?.[0] ?? "nothing"
  if ((asked.body.tools ?? []).length === 0) {
    return says(
      JSON.stringify(asked.text.includes("holds") ? { holds: true, reason: `It is ${told}` } : { said: told })
    )
  }
  if (words.includes("Press what is not there")) return calls("not_found", { reason: `There is no ${told}` })
  return calls("choose_element", { element: /^(\w+) \S.*Place order/m.exec(words)?.[1] ?? "e999" })
}

it.live("no secret comes out of the service", () =>
  Effect.gen(function* () {
    const world = yield* LeakHarness.make({
      users: Object.values(users),
      sent,
      reply,
      modelKey: plant(plainCanary("key of the model"))
    })
    const { ask, carryOut, encryptionKey, site } = world
    for (const [name, value] of Object.entries({ encryptionKey, masterKey, inbound: LeakHarness.inboundSecret })) {
      plant({ name, value })
    }
    yield* ask("POST", "/webhook-endpoints", { url: world.hook.url, secret: plant(canary("secret of a webhook")) })

    const state = browserState(site)
    for (const [name, one] of Object.entries(users)) {
      const kept = yield* ask("POST", "/vault", {
        ...credentialOf(name, one, site, encryptionKey),
        ...state,
        ...(one === users.timed ? shared : {})
      })
      assert.strictEqual(kept.status, 201, JSON.stringify(kept.body))
      if (typeof kept.body.tfa_email === "string") world.addresses.set(one.user, kept.body.tfa_email)
    }

    const desk = yield* EchoSite.open(2)
    const keeper = {
      user: plant(canary("user name of the desk")),
      password: plant(canary("password of the desk")),
      second: null
    }
    const deskEntry = credentialOf("keeper", keeper, desk.origin, encryptionKey)
    assert.strictEqual((yield* ask("POST", "/vault", { ...deskEntry, ...shared })).status, 201)
    const atDesk = (workflow: object, meanwhile: LeakHarness.Meanwhile = {}) =>
      carryOut(workflow, { DESK: "keeper" }, meanwhile)

    // Everybody signs in, by every second factor: some of them here, and all each night.
    const signIns = sampled(Object.entries(users), 3).map(([name, one]) =>
      Effect.gen(function* () {
        const code = () =>
          one === users.person && world.told.has(one.user) ? { code: world.told.get(one.user) } : undefined
        const workflow = { ...signInWorkflow(one, site), enable_network_listener: true, record: true }
        const ended = yield* carryOut(workflow, { SITE: name }, { answer: code })
        assert.deepInclude(
          ended,
          { status: "execution.success", data: { heading: "Orders" } },
          `${name}: ${JSON.stringify(ended)}`
        )
      })
    )

    // No run signs in with a wrong password, through a refusing proxy, or by workflows that reveal what they know.
    const wrong = { ...users.plain, password: plant(canary("wrong password")) }
    const proxy = `socks5://somebody:${plant(stored[3])}@127.0.0.1:1`
    const entries = {
      wrong: credentialOf("wrong", wrong, site, encryptionKey),
      proxied: {
        ...credentialOf("proxied", users.plain, site, encryptionKey),
        proxy_setting: "custom",
        proxy_value: seal(encryptionKey, proxy)
      }
    }
    const refusals = sampled(Object.entries(entries), 2).map(([name, body]) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask("POST", "/vault", body)).status, 201)
        const ended = yield* carryOut(signInWorkflow(users.plain, site), { SITE: name })
        assert.strictEqual(ended.status, "execution.failed", name)
      })
    )
    for (const [name, workflow] of careless(site).filter(([name]) => refusedAtSave.has(name))) {
      assert.strictEqual((yield* ask("POST", "/workflows", workflow)).status, 400, name)
    }
    const saved = careless(site).filter(([name]) => !refusedAtSave.has(name))
    const indiscretions = sampled(saved, 4).map(([name, workflow]) =>
      carryOut(workflow, { SITE: "timed" }).pipe(
        // A failed login of another of them stops those that wait for the credential.
        Effect.repeat({ until: ({ status }) => status !== "execution.stopped", times: 3 }),
        Effect.map(({ status }) => assert.strictEqual(status, "execution.failed", name))
      )
    )

    // A person's answer is as secret as anything, and so is what they type from afar.
    const answer = plant(canary("answer of a person"))
    const asked = Effect.gen(function* () {
      const ended = yield* carryOut(
        {
          name: "Asks",
          ...graphOf(`${site}/login`, [
            {
              action: "USER_INTERACTION",
              parameters: {
                expected_datamodel: { type: "object", properties: { word: { type: "string" } }, required: ["word"] }
              }
            },
            { action: "INPUT_TEXT", parameters: { selector: "//input[@id='user']", text: "{{context.word}}" } },
            { action: "CLICK", parameters: { selector: "//b[.='{{context.word}}']", wait_time: 100 } }
          ])
        },
        {},
        { answer: () => ({ word: answer }) }
      )
      assert.strictEqual(ended.status, "execution.failed")
    })
    const [byKeys, pasted] = [plant(plainCanary("typed by a person")), plant(canary("pasted by a person"))]
    const place = { x: 0.2, y: 0.16, button: "left", clicks: 1 }
    const gestures = [
      { kind: "press", ...place },
      { kind: "release", ...place },
      ...[...byKeys].flatMap((key) => [
        { kind: "key_down", key },
        { kind: "key_up", key }
      ]),
      { kind: "text", text: pasted },
      { kind: "key_down", key: "Enter" },
      { kind: "key_up", key: "Enter" }
    ]
    const watched = Effect.gen(function* () {
      const heard = () => desk.received.some((body) => body.includes(byKeys))
      const during = (session: string) => world.control(session, gestures, heard)
      const ended = yield* atDesk(EchoSite.typed(desk.origin), { during })
      assert.strictEqual(ended.status, "execution.success", JSON.stringify(ended.errors))
    })

    // A value that a site repeats is hidden in files, requests and answers, from a model, and in what is found again.
    const moved = Effect.gen(function* () {
      const ended = yield* atDesk(EchoSite.transfers(desk.origin))
      assert.strictEqual(ended.status, "execution.failed")
      assert.include(JSON.stringify(ended.errors), "API-E0002")
      assert.lengthOf(ended.file_urls as ReadonlyArray<unknown>, 1)
    })
    const decided = Effect.gen(function* () {
      const ended = yield* atDesk(EchoSite.asked(desk.origin))
      assert.include(JSON.stringify(ended.errors), "MODEL-E0005")
    })
    const recovered = Effect.gen(function* () {
      const workflow = yield* world.save(EchoSite.recovered(desk.origin))
      for (const times of [1, 2]) {
        const ended = yield* atDesk(workflow)
        assert.deepInclude(
          ended,
          { status: "execution.success", was_recovered: times === 2 },
          JSON.stringify(ended.errors)
        )
      }
      const { body } = yield* ask("GET", `/workflows/${workflow.id}/patches`)
      assert.isNotEmpty(body)
    })

    const bait: Canary = { name: "put in on purpose", value: `Cy"${randomUUID()}&é` }
    const givenAway = carryOut(
      {
        name: "Gives away",
        enable_network_listener: true,
        record: true,
        ...graphOf(`${site}/login`, [
          { action: "INPUT_TEXT", parameters: { selector: "//input[@id='user']", text: bait.value } },
          { action: "CLICK", parameters: { selector: `//b[.='${bait.value}']`, wait_time: 100 } }
        ])
      },
      {}
    )

    yield* Effect.all(
      [givenAway, watched, recovered, moved, decided, asked, ...signIns, ...refusals, ...indiscretions],
      {
        concurrency: 4,
        discard: true
      }
    )

    yield* ask("GET", "/audit?limit=1000")
    yield* ask("GET", "/audit/export?format=csv")
    const produced = yield* world.produced
    assert.deepStrictEqual(leaksIn(produced, planted), [])

    // Nothing that is kept was left out of the search.
    const channels = new Set(produced.map(({ channel }) => channel))
    const schema = readFileSync("test/contract/schema.txt", "utf8")
    for (const [, table] of schema.matchAll(/^column (\w+)\./gm)) assert.isTrue(channels.has(`table ${table}`), table)
    const artifacts = produced
      .flatMap(({ bytes, channel }) => (channel === "table artifacts" ? String(bytes).split("\n") : []))
      .map((row): { readonly id: string; readonly kind: string } => JSON.parse(row))
    assert.sameMembers([...new Set(artifacts.map(({ kind }) => kind))], ["file", "screenshot", "snapshot"])
    for (const { id } of artifacts) assert.isTrue(channels.has(`data folder: artifacts/${id}`), id)

    // One trace has what several processes did for a run.
    const recorded = world.spans()
    const traced = new Set(recorded.filter(({ name }) => name === "POST /run").map(({ traceId }) => traceId))
    const inOne = (traceId: string) =>
      recorded.flatMap((span) => (span.traceId === traceId ? [`${span.part} ${span.name}`] : []))
    const whole = ["api POST /run", "worker run waits", "worker run claimed", "worker run", "api webhook"]
    assert.isTrue(
      [...traced].some((traceId) => whole.every((span) => inOne(traceId).includes(span))),
      JSON.stringify([...traced].map(inOne))
    )

    // The search is not blind: what is no secret to the service is found wherever it goes.
    const found = leaksIn(produced, [bait])
    assert.includeMembers(
      [...new Set(found.map(({ channel }) => channel.split(" ").slice(0, 2).join(" ")))],
      [
        "webhook /hook",
        "webhook /hook/own",
        "table run_events",
        "database on",
        "stream of",
        "data folder:",
        "log of",
        "POST /workflows:"
      ]
    )
  }).pipe(Effect.scoped)
)
