/**
 * Portals that an agent automates by a scripted transcript: with the tools, and with the commands of the skill, in a real
 * browser. Each takes at most twelve calls.
 */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import * as Client from "../../../apps/api/Client.ts"
import { skill } from "../../../apps/cli/user/Skill.ts"
import * as Steps from "../../../apps/mcp/Steps.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { overHttp, type ToolAnswer } from "../../support/mcpClient.ts"
import { sharedBrowser } from "../../support/realBrowser.ts"
import { sampled } from "../../support/scale.ts"
import { seal } from "../../support/sealed.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { serve } from "../../support/site.ts"
import { signedIn } from "../../support/Terminal.ts"
import { addressOf, login, type Portal, portals, site } from "./Portals.ts"

const mostCalls = 12

const working = Layer.effectDiscard(
  Effect.forkScoped(Worker.run({ name: "portals", capacity: 2, leaseMillis: 60_000, graceMillis: 0 }))
).pipe(
  Layer.provide(AgentExecutor.layer),
  Layer.provide([sharedBrowser, HttpFiles.layer({ ...HttpFiles.defaults, allowPrivateNetworks: true })])
)

/** The user of a service with a worker, and a portal for it: the credential is there, as a person has stored it. */
const setUp = Effect.fnUntraced(function* (portal: Portal) {
  const { send } = yield* Service
  const served = yield* serve(site)
  const origin = portal.host === undefined ? served : served.replace("127.0.0.1", portal.host)
  const { owner, ...user } = yield* signedIn
  const sealed = (value: string) => seal(owner.encryptionKey, value)
  const credential = {
    permissioned_user_id: login.user,
    domain: origin,
    user_name: sealed(login.user),
    password: sealed(login.password),
    tfa_secret: sealed(login.secret),
    tfa_method: "AUTHENTICATOR"
  }
  const stored = yield* send({ method: "POST", path: "/vault", key: owner.key, json: credential })
  assert.strictEqual(stored.status, 201, stored.text)
  const placed = <A>(value: A): A => JSON.parse(JSON.stringify(value).replaceAll("ORIGIN", origin))
  /** What the person does on the page of a run that asks. */
  const person = (session: string) =>
    Effect.map(
      send({ method: "POST", path: `/run/${session}/user_interaction`, key: owner.key, json: portal.person }),
      ({ status, text }) => assert.strictEqual(status, 200, text)
    )
  return { ...user, owner, person, placed, url: addressOf(portal, origin) }
})

/** The selector that the explanation of a failure, or its message, names first. */
const selectorIn = (text: string): string =>
  /(?:## Nearest elements\n<untrusted_from_page>\n- |Similar elements: )(\S+)/.exec(text)?.[1] ??
  assert.fail(`The failure names no other element: ${text}`)

/** Automates a portal with the tools, and answers how many calls that took. */
const withTools = Effect.fnUntraced(function* (portal: Portal) {
  const { owner, person, placed, url } = yield* setUp(portal)
  const service = yield* Service
  const { call: asked } = yield* overHttp(service.url, owner.key)
  let calls = 0
  const call = (name: string, args: Record<string, unknown>) => {
    calls++
    return Effect.map(asked(name, args), (answer) => {
      assert.isFalse(answer.isError, `${name}: ${answer.text}`)
      return answer
    })
  }
  const { draft_id } = (yield* call("draft_workflow", { name: portal.name, url })).data
  const edit = { workflow_id: draft_id, version: 1, edits: portal.edits, set: placed(portal.set ?? {}) }
  yield* call("edit_workflow", edit)
  const inputs = placed(portal.inputs ?? {})
  let ran: ToolAnswer = yield* call("run_workflow", { workflow_id: draft_id, inputs, wait_seconds: 45 })
  if (portal.person !== undefined) {
    assert.isDefined(ran.data.needs_person, ran.text)
    yield* person(ran.data.session_id)
    ran = yield* call("get_run", { session_id: ran.data.session_id, wait_seconds: 45 })
  }
  if (portal.mended !== undefined) {
    assert.strictEqual(ran.data.status, "execution.failed", ran.text)
    const parameters = { selector: selectorIn(ran.text) }
    const edits = [{ op: "change", step: portal.mended, parameters }]
    yield* call("edit_workflow", { workflow_id: draft_id, version: 2, edits })
    ran = yield* call("run_workflow", { workflow_id: draft_id, inputs, wait_seconds: 45 })
  }
  assert.strictEqual(ran.data.status, "execution.success", ran.text)
  assert.deepStrictEqual(ran.data.untrusted_from_page?.output ?? {}, portal.output, ran.text)
  assert.strictEqual(ran.data.files, portal.files ?? 0)
  yield* call("save_draft", { draft_id })
  for (const secret of [login.password, login.secret]) assert.notInclude(ran.text, secret)
  return calls
})

/** The workflow of a portal as a file, of the same edits as with the tools. */
const fileOf = ({ edits, name }: Portal, url: string) => {
  const [start, end] = [randomUUID(), randomUUID()]
  const begun: Steps.Graph = {
    nodes: [
      { id: start, name: "Open", action: "START", parameters: { url } },
      { id: end, name: "Done", action: "END", parameters: {} }
    ],
    edges: { [start]: { to: end } }
  }
  return { name, ...Result.getOrThrow(Steps.apply(begun, edits, randomUUID)) }
}

/** Waits until a run asks a person. */
const asks = Effect.fnUntraced(function* (baseUrl: string, key: string, session: string) {
  const client = yield* Client.make({ baseUrl, key: Redacted.make(key) })
  yield* Client.events(client, session).pipe(
    Stream.takeUntil(({ event }) => event === "interaction.waiting"),
    Stream.runDrain,
    Effect.orDie
  )
}, Effect.provide(FetchHttpClient.layer))

/** The commands that the skill has, by their words before the first argument. */
const known = new Set([...skill.matchAll(/^sluice ([a-z]+(?: [a-z]+)?)/gm)].map(([, words]) => words))

/** Automates a portal with the commands of the skill, and answers how many that took. */
const withCommands = Effect.fnUntraced(function* (portal: Portal) {
  const service = yield* Service
  const { file, owner, person, placed, run, url } = yield* setUp(portal)
  let calls = 0
  const command = Effect.fnUntraced(function* (words: string, args: ReadonlyArray<string>, isRefusal = false) {
    calls++
    assert.isTrue(known.has(words), `The skill does not have ${words}`)
    const { failure, stdout } = yield* run([...words.split(" "), ...args, "--json"])
    assert.strictEqual(failure !== null, isRefusal, `${words}: ${failure?.text} ${stdout}`)
    return stdout
  })
  const path = file("workflow.json", JSON.stringify({ ...fileOf(portal, url), ...placed(portal.set ?? {}) }))
  yield* command("workflow validate", [path])
  const { workflow_id } = JSON.parse(yield* command("workflow push", [path]))
  const input = ["--input", JSON.stringify(placed(portal.inputs ?? {}))]
  const tried = Effect.fnUntraced(function* (isRefusal: boolean) {
    const { session_id } = JSON.parse(yield* command("run", [workflow_id, ...input]))
    if (portal.person !== undefined) {
      yield* asks(service.url, owner.key, session_id)
      yield* person(session_id)
    }
    yield* command("runs wait", [session_id, "--timeout", "60"], isRefusal)
    return yield* command("runs show", [session_id])
  })
  let record = yield* tried(portal.mended !== undefined)
  if (portal.mended !== undefined) {
    const selector = selectorIn(JSON.parse(record).errors[0].message)
    const written = JSON.parse(readFileSync(path, "utf8"))
    for (const node of written.nodes) if (node.name === portal.mended) node.parameters.selector = selector
    file("workflow.json", JSON.stringify(written))
    yield* command("workflow push", [path])
    record = yield* tried(false)
  }
  const { file_urls, output_data, status } = JSON.parse(record)
  assert.strictEqual(status, "execution.success", record)
  assert.deepStrictEqual(output_data ?? {}, portal.output)
  assert.lengthOf(file_urls, portal.files ?? 0)
  return calls
})

describe("the portals", () => {
  it("are twenty, of different kinds", () => {
    assert.lengthOf(new Set(portals.map(({ name }) => name)), 20)
  })

  const services = Layer.provideMerge(working, layerInMemory)
  // Where only some are taken, each way takes others.
  const ways = [
    ["the tools", withTools, portals],
    ["the commands of the skill", withCommands, [...portals.slice(18), ...portals.slice(0, 18)]]
  ] as const
  for (const [way, automated, all] of ways) {
    for (const portal of sampled(all, 7)) {
      it.live(`${portal.name}: is automated with ${way} by at most ${mostCalls} calls`, () =>
        Effect.map(automated(portal), (calls) => assert.isAtMost(calls, mostCalls)).pipe(
          Effect.scoped,
          Effect.provide(services)
        )
      )
    }
  }
})
