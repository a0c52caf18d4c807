/** The examples of docs/actions.md, done in a real Chromium on the portal: the first of each action, and all each night. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Redacted, Result, type Schema } from "effect"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import * as Budget from "../../../core/agent/model/Budget.ts"
import * as ModelUse from "../../../core/agent/model/ModelUse.ts"
import { addressOf, InboxDomain } from "../../../core/vault/inbox/Inbox.ts"
import { plainBody } from "../../../core/vault/inbox/ReceivedMessage.ts"
import { Receiving } from "../../../core/vault/inbox/Receiving.ts"
import { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import * as Otp from "../../../core/vault/otp/Otp.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { type Trial, type Tried, trials } from "../../docs/ActionTrials.ts"
import { fencesOf, pages } from "../../docs/Pages.ts"
import * as Portal from "../../docs/Portal.ts"
import * as accounts from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import { inboxDomain, mailed, receiving } from "../../support/inbox.ts"
import { withModel } from "../../support/modelServer.ts"
import { inBrowser } from "../../support/realBrowser.ts"
import { isAll } from "../../support/scale.ts"

interface Example {
  readonly heading: string
  readonly at: string
  readonly step: Step
  /** The data that the page says it leaves, where it does. */
  readonly promised: Schema.JsonObject | null
}

const page = pages().find(({ path }) => path === "docs/actions.md") ?? { path: "", text: "" }

/** The examples below each heading: the fences with an action, each with the data that follows it. */
const examples: ReadonlyArray<Example> = page.text.split(/^## /m).flatMap((part) => {
  const heading = part.split("\n", 1)[0] ?? ""
  const values = fencesOf({ path: page.path, text: part })
    .filter(({ language }) => language === "json")
    .map(({ text }) => JSON.parse(text) as Schema.JsonObject)
  return values.flatMap((value, index) => {
    if (typeof value.action !== "string") return []
    const following = values[index + 1]
    const promised = following === undefined || "action" in following ? null : following
    return [{ heading, at: `${heading} ${index + 1}`, step: value as unknown as Step, promised }]
  })
})

const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
const totp = Result.getOrThrow(Otp.parse(Redacted.make(secret)))
const mailedCode = "482913"

/** The codes that are right at this moment: those of the authenticator, and the one that is mailed. */
const isCode = (code: string): boolean => {
  const now = Date.now()
  const generated =
    totp._tag === "Totp" ? [now, now + 30_000].map((at) => Redacted.value(Otp.timed(totp, at).code)) : []
  return [mailedCode, ...generated].includes(code)
}

const services = Layer.merge(
  HttpFiles.layer({ ...HttpFiles.defaults, allowPrivateNetworks: true }),
  LoginCodes.layer.pipe(Layer.provideMerge(receiving), Layer.provide(Layer.succeed(InboxDomain, inboxDomain)))
)

/** The step of an example with the address of the portal in it. */
const placed = (step: Step, origin: string): Step =>
  JSON.parse(JSON.stringify(step).replaceAll("https://portal.example", origin)) as Step

/** The graph of a trial. The example is the first of its steps after START and those before it. */
const graphFor = (step: Step, trial: Trial, origin: string) => {
  const { after = [], before = [], page = "/", to } = trial
  if (step.action === "START") return graphOf(String(step.parameters?.url), after)
  const shown = to === undefined ? step : { ...step, to }
  return graphOf(`${origin}${page}`, step.action === "END" ? [] : [...before, shown, ...after])
}

/** A credential of the portal, whose codes and links are mailed to an inbox of the service. */
const credential = Effect.fnUntraced(function* (portal: Portal.Portal) {
  const entry = mailed(yield* makeWorkspace(), "front-desk", portal.origin)
  yield* (yield* VaultEntries).insert(entry.workspaceId, entry)
  const inbox = yield* Receiving
  const message = {
    code: `Your code is ${mailedCode}. It is valid for ten minutes.`,
    link: `Open the link below to sign in:\n${portal.origin}/signed-in?token=0123456789abcdef\n\nStop these mails: ${portal.origin}/unsubscribe`
  }
  portal.onSent((what) => {
    const bodies = [plainBody(message[what])]
    const mail = { from: "no-reply@portal.example", subject: "Sign in", bodies }
    const recipients = [addressOf(entry.workspaceId, entry, inboxDomain)]
    Effect.runFork(inbox.mail({ recipients, message: mail, id: null }))
  })
  return accounts.account("PORTAL", { userName: "front-desk", password: "secret-word", tfaSecret: secret }, entry)
})

const tried = Effect.fnUntraced(function* ({ promised, step }: Example, trial: Trial) {
  const opened = yield* Portal.open(isCode)
  const portal =
    trial.onLocalhost === true ? { ...opened, origin: opened.origin.replace("127.0.0.1", "localhost") } : opened
  const codes = yield* LoginCodes
  const account = yield* credential(portal)
  const { dryRun, inputs, manualCaptcha = false, person, replies = [] } = trial
  const slept: Array<number> = []
  const own = yield* Clock.Clock
  const clock: Clock.Clock = Object.assign(Object.create(own), {
    sleep: (duration: Duration.Duration) => {
      slept.push(Duration.toMillis(duration))
      return own.sleep(duration)
    }
  })
  const done: Tried = yield* withModel(replies, (asked) =>
    walk(
      graphFor(placed(step, portal.origin), trial, portal.origin),
      { PORTAL: "front-desk", ...inputs?.(portal.origin) },
      {
        accounts: [account],
        codes,
        manualCaptcha,
        ...(person === undefined ? {} : { person: person(portal) }),
        ...(dryRun === true ? { dryRun: { dry: true } } : {})
      }
    ).pipe(
      Effect.provideService(
        ModelUse.ModelUse,
        ModelUse.make(Budget.defaultBudget, () => Effect.void)
      ),
      Effect.provideService(Clock.Clock, clock),
      Effect.map((seen) => ({ ...seen, portal, asked, slept }))
    )
  )
  const { outcome } = done
  const failure = outcome._tag === "Failed" ? outcome.failure.message : null
  assert.strictEqual(failure !== null, trial.fails === true, failure ?? "it did not fail")
  trial.expect(done)
  if (promised !== null) assert.deepInclude(outcome.data, promised)
}, Effect.scoped)

layer(services, { excludeTestServices: true })("an example of docs/actions.md", (it) => {
  describe.concurrent.each(Object.entries(trials))("of %s", (heading, of) => {
    const shown = examples.filter((example) => example.heading === heading)

    const tries = shown.map((example, index) => [example.at, example, of[index] ?? []] as const)
    it.effect.each(isAll ? tries : tries.slice(0, 1))("does what the page says: %s", ([, example, ways]) =>
      inBrowser(Effect.forEach(ways, (trial) => tried(example, trial)))
    )
  })
})

describe("docs/actions.md", () => {
  it("shows as many examples below each heading as there are trials", () => {
    const headings = [...new Set(examples.map(({ heading }) => heading))]
    assert.deepStrictEqual(
      headings.map((heading) => [heading, examples.filter((example) => example.heading === heading).length]),
      Object.entries(trials).map(([heading, of]) => [heading, of.length])
    )
  })
})
