import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { NetworkRecorder } from "../../../core/agent/network/NetworkRecorder.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { FileNotFetched, FileSource } from "../../../core/browser/file/FileSource.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import * as Turn from "../../../core/builder/host/Turn.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { graphOf } from "../../support/browser.ts"

const site = "https://bank.example/"

it.effect("a conversation signs in, and tells no secret that its steps have read", () =>
  Effect.gen(function* () {
    const { content } = SaveBody.read(
      {
        name: "Bank",
        vault_schema: { BANK: { type: "credential", domain: site } },
        ...graphOf(site, [
          { action: "INPUT_TEXT", parameters: { selector: "#password", text: "{{context.inputs.BANK.PASSWORD}}" } },
          {
            action: "EXTRACT_DATAMODEL",
            parameters: {
              extract_data_model: { type: "object", properties: { typed: { type: "string", path: "#password" } } }
            }
          },
          {
            action: "CLICK",
            parameters: { selector: "//a[.='{{context.typed}}']", wait_time: 0 }
          }
        ])
      },
      0
    )
    const page = yield* (yield* Browser).open(Session.empty)
    const stage = Turn.newStage(
      { page, heard: new NetworkRecorder() },
      { BANK: "robot" },
      { ...StartingState.empty, accounts: new Map([["BANK", account("BANK", { password: "horse&staple" })]]) },
      0
    )
    const start = graphOf(site, []).nodes[0]?.id ?? ""
    const draft = { content, cursor: { after: start, way: "to" as const } } as Parameters<typeof Turn.next>[0]
    yield* page.navigation.goto(site)
    const typed = yield* Turn.next(draft, stage)
    const extracted = yield* Turn.next(typed.outcome.draft, typed.stage)
    assert.deepEqual<unknown>(extracted.outcome.result?.data, { typed: "[secret]" })
    const failed = yield* Turn.next(extracted.outcome.draft, extracted.stage)
    assert.include(failed.outcome.text, "//a[.='[secret]']")
  }).pipe(Effect.provide(ScriptedBrowser.layer({ [site]: [{ selector: "#password", value: "" }] })), Effect.scoped)
)

it.effect("files that a conversation uploads come only from where the workflow may go", () =>
  Effect.gen(function* () {
    const page = yield* (yield* Browser).open(Session.empty)
    yield* page.navigation.goto(site)
    const session = { ...Session.empty, allowedSites: ["bank.example"] }
    const stage = Turn.newStage({ page, heard: new NetworkRecorder() }, {}, { ...StartingState.empty, session }, 0)
    const uploaded = Effect.fnUntraced(function* (signed_file_url: string) {
      const graph = graphOf(site, [{ action: "FILE_UPLOAD", parameters: { signed_file_url, selector: "#password" } }])
      const { content } = SaveBody.read({ name: "Bank", ...graph }, 0)
      const cursor = { after: graph.nodes[0]?.id ?? "", way: "to" as const }
      const done = yield* Turn.next({ content, cursor } as Parameters<typeof Turn.next>[0], stage)
      return done.outcome.text
    })
    assert.include(yield* uploaded("https://elsewhere.example/a.pdf"), "allowed_sites")
    assert.include(yield* uploaded(`${site}a.pdf`), "it may be fetched")
  }).pipe(
    Effect.provide(ScriptedBrowser.layer({ [site]: [{ selector: "#password", value: "" }] })),
    Effect.provideService(FileSource, {
      get: (url, refusal) =>
        Effect.fail(new FileNotFetched({ kind: "forbidden", reason: refusal(url) ?? "it may be fetched" }))
    }),
    Effect.scoped
  )
)
