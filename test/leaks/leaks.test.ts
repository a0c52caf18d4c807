/**
 * Secrets that occur nowhere else are planted wherever one may be kept or typed, the service does all that it can do with them,
 * and nothing that it produced on the way has one of them in it.
 */
import { randomInt } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Message } from "../../apps/demo/Doorkeeper.ts"
import type { Visitor } from "../../apps/demo/Visitors.ts"
import { graphOf, type Step } from "../support/browser.ts"
import { type Canary, canary, codeCanary, leaksIn, plainCanary } from "../support/canaries.ts"
import { credentialOf, signInWorkflow } from "../support/marlow.ts"
import { masterKey } from "../support/processes.ts"
import { seal } from "../support/sealed.ts"
import * as World from "./world.ts"

const planted: Array<Canary> = []

const plant = (one: Canary): string => {
  planted.push(one)
  return one.value
}

/** A visitor of the site whose name and password are nobody else's. */
const visitor = (name: string, second: Visitor["second"]): Visitor => ({
  user: plant(canary(`user name of ${name}`)),
  password: plant(canary(`password of ${name}`)),
  second
})

const app = (name: string, counts: boolean): Visitor => {
  const value = Array.from({ length: 32 }, () => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[randomInt(32)]).join("")
  return visitor(name, { _tag: "app", secret: plant({ name: `TFA secret of ${name}`, value }), counts })
}

const visitors = {
  plain: visitor("plain", null),
  timed: app("timed", false),
  counting: app("counting", true),
  mailed: visitor("mailed", { _tag: "sent", by: "mail" }),
  texted: visitor("texted", { _tag: "sent", by: "text" }),
  linked: visitor("linked", { _tag: "link" }),
  person: visitor("person", { _tag: "sent", by: "person" })
} as const satisfies Readonly<Record<string, Visitor>>

/** Codes and links are as secret as what they stand in for. */
const sent = ({ secret, visitor: { second } }: Message): void => {
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

/** What a browser brings along, each part of it a secret. */
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

it.live(
  "no secret comes out of the service",
  () =>
    Effect.gen(function* () {
      const world = yield* World.make({ visitors: Object.values(visitors), sent })
      const { ask, carryOut, encryptionKey, site } = world
      for (const [name, value] of Object.entries({ encryptionKey, masterKey, inbound: World.inboundSecret })) {
        plant({ name, value })
      }
      yield* ask("POST", "/webhook-endpoints", { url: world.hook.url, secret: plant(canary("secret of a webhook")) })

      const state = browserState(site)
      for (const [name, one] of Object.entries(visitors)) {
        const kept = yield* ask("POST", "/vault", {
          ...credentialOf(name, one, site, encryptionKey),
          ...state
        })
        assert.strictEqual(kept.status, 201, JSON.stringify(kept.body))
        if (typeof kept.body.tfa_email === "string") world.addresses.set(one.user, kept.body.tfa_email)
      }

      // Everybody signs in, by every second factor.
      for (const [name, one] of Object.entries(visitors)) {
        const code = () =>
          one === visitors.person && world.told.has(one.user) ? { code: world.told.get(one.user) } : undefined
        const ended = yield* carryOut(
          { ...signInWorkflow(one, site), enable_network_listener: true },
          { SITE: name },
          code
        )
        assert.deepInclude(
          ended,
          { status: "execution.success", data: { heading: "Orders" } },
          `${name}: ${JSON.stringify(ended)}`
        )
      }

      // Nobody gets in with the wrong password, through a proxy that refuses, or by workflows that give away what they know.
      const wrong = { ...visitors.plain, password: plant(canary("wrong password")) }
      const proxy = `socks5://somebody:${plant(stored[3])}@127.0.0.1:1`
      const entries = {
        wrong: credentialOf("wrong", wrong, site, encryptionKey),
        proxied: {
          ...credentialOf("proxied", visitors.plain, site, encryptionKey),
          proxy_setting: "custom",
          proxy_value: seal(encryptionKey, proxy)
        }
      }
      for (const [name, body] of Object.entries(entries)) {
        assert.strictEqual((yield* ask("POST", "/vault", body)).status, 201)
        const ended = yield* carryOut(signInWorkflow(visitors.plain, site), { SITE: name })
        assert.strictEqual(ended.status, "execution.failed", name)
      }
      for (const [name, workflow] of careless(site)) {
        const ended = yield* carryOut(workflow, { SITE: "timed" })
        assert.strictEqual(ended.status, "execution.failed", name)
      }

      // A person's answer is as secret as anything.
      const answer = plant(canary("answer of a person"))
      const asked = yield* carryOut(
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
        () => ({ word: answer })
      )
      assert.strictEqual(asked.status, "execution.failed")

      assert.deepStrictEqual(leaksIn(yield* world.produced, planted), [])

      // The search is not blind: what is no secret to the service is found wherever it goes.
      const bait = canary("put in on purpose")
      yield* carryOut(
        {
          name: "Gives away",
          enable_network_listener: true,
          ...graphOf(`${site}/login`, [
            { action: "INPUT_TEXT", parameters: { selector: "//input[@id='user']", text: bait.value } },
            { action: "CLICK", parameters: { selector: `//b[.='${bait.value}']`, wait_time: 100 } }
          ])
        },
        {}
      )
      const found = leaksIn(yield* world.produced, [bait])
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
    }).pipe(Effect.scoped),
  300_000
)
