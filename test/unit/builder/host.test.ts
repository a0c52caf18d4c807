import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Remark } from "../../../core/browser/Remark.ts"
import { Builder } from "../../../core/builder/Builder.ts"
import { BuilderStore } from "../../../core/builder/BuilderStore.ts"
import type { Candidate } from "../../../core/builder/Command.ts"
import * as Conversation from "../../../core/builder/Conversation.ts"
import type { ConversationMessage } from "../../../core/builder/ConversationMessage.ts"
import type { Opening } from "../../../core/builder/ConversationStart.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import { ofWorkflow } from "../../../core/builder/Sources.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { WorkflowId } from "../../../core/workspace/Ids.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { jpeg } from "../../kit/browser/ScriptedPicture.ts"
import { altered } from "../../support/alteredSessions.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const login = "https://shop.example/login"
const list = "https://shop.example/orders"
const listEnd = "https://shop.example/orders/2"

const site: ScriptedBrowser.ScriptedSite = {
  [login]: [
    { selector: "//h1", text: "Sign in" },
    { selector: "#user", value: "" },
    { selector: "#go", leadsTo: list },
    { selector: "//a", text: "one" },
    { selector: "//a", text: "two" }
  ],
  [list]: [
    { selector: "//h1", text: "Orders" },
    { selector: "//tr", parts: { "/td[1]": "A-1" } },
    { selector: "//tr", parts: { "/td[1]": "A-2" } },
    { selector: "//a[@id='next']", leadsTo: listEnd }
  ],
  [listEnd]: [
    { selector: "#save", saves: [["order A-3.pdf", "%PDF-1.4"]] },
    { selector: "#broken", saves: [["order A-4.pdf", "<html>Sorry"]] },
    { selector: "//tr", parts: { "/td[1]": "A-3" } },
    { selector: "#first", leadsTo: list }
  ]
}

const orders = `extract {"type":"object","properties":{"orders":{"type":"array","path":"//tr","items":{"type":"object","properties":{"id":{"type":"string","path":"/td[1]"}}}}}}`

const beginningOf = () => Effect.succeed(StartingState.empty)
const options: Host.Options = { name: "h", capacity: 2, leaseMillis: 30_000, beginningOf }

const services = Builder.layer.pipe(
  Layer.provideMerge(Workflows.layer),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer))
)

/** Sessions of the scripted browser that are open, whether pages still answer, and whether each step is unsure. */
const watched = { open: 0, broken: false, unsure: false }

const refilled: Remark = { kind: "refilled", selector: "#user", reason: "the page had emptied it" }

const browser = Layer.effect(
  Browser,
  Effect.map(Browser, ({ open }) => {
    const opened = Effect.acquireRelease(
      Effect.sync(() => watched.open++),
      () => Effect.sync(() => watched.open--)
    )
    const gone = new PageFailure({ kind: "crash", reason: "the page or its browser went away" })
    return Browser.of({
      open: (session) =>
        Effect.map(Effect.andThen(opened, open(session)), (page) =>
          altered(page, {
            navigation: { remarks: Effect.sync(() => (watched.unsure ? [refilled] : [])) },
            elements: {
              click: (query, kind) => (watched.broken ? Effect.fail(gone) : page.elements.click(query, kind))
            }
          })
        )
    })
  })
).pipe(Layer.provide(ScriptedBrowser.layer(site)))

const provided = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof services> | Browser>) =>
  Effect.suspend(() => {
    watched.open = 0
    watched.broken = false
    watched.unsure = false
    return test.pipe(Effect.provide(Layer.fresh(Layer.mergeAll(services, browser))))
  })

const opening: Opening = {
  _tag: "New",
  name: "Orders",
  description: null,
  startUrl: login,
  inputSchema: null,
  inputs: { user: "me" },
  settings: {},
  login: null
}

const given = { inputs: { user: "me" }, permissionedUserId: null, lastBrowserState: true }

/** Lets everything go on that can go on without time. */
const settle = Effect.repeat(Effect.yieldNow, { times: 200 })

const host = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(Host.run(options))
  yield* settle
  return fiber
})

/** Runs a test beside a host. */
const hosted = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof services> | Browser>) =>
  provided(
    Effect.gen(function* () {
      const fiber = yield* host
      yield* test
      yield* Fiber.interrupt(fiber)
    })
  )

const tell = (caller: Caller, id: Conversation.ConversationId, text: string) =>
  Effect.gen(function* () {
    const builder = yield* Builder
    yield* builder.say(caller, id, text)
    yield* settle
    const { conversation, status } = yield* builder.get(caller, id)
    const [last] = yield* builder.messages(caller, id, conversation.messages, conversation.messages)
    return { conversation, status, last: last as ConversationMessage }
  })

const status = (caller: Caller, id: Conversation.ConversationId) =>
  Effect.gen(function* () {
    return (yield* (yield* Builder).get(caller, id)).status
  })

/** A conversation on a new address, whose page is open. */
const opened = Effect.gen(function* () {
  const caller = yield* makeWorkspace()
  const { conversation } = yield* (yield* Builder).open(caller, opening)
  yield* settle
  return { caller, id: conversation.id }
})

const names = ({ draft }: Conversation.Conversation) =>
  (draft.content.nodes as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

it.effect("messages become the steps of a workflow that does the same again", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const caller = yield* makeWorkspace()
      const { conversation, status } = yield* builder.open(caller, opening)
      assert.strictEqual(status, "processing")
      yield* settle
      assert.strictEqual((yield* builder.get(caller, conversation.id)).status, "completed")
      const typed = yield* tell(caller, conversation.id, "type #user = {{context.inputs.user}}")
      assert.deepInclude(typed.last, { role: "agent", kind: "action_result" })
      assert.deepInclude(typed.last.result, { done: true, action: "INPUT_TEXT", url: login })
      const twice = yield* tell(caller, conversation.id, "click //a")
      assert.strictEqual(
        twice.last.text,
        `Node "Click //a": Cannot click //a: 2 elements match after 15000 ms, expected exactly 1 (at ${login})`
      )
      assert.deepInclude(twice.last.result, { done: false, errorCode: "SELECTOR-E0001" })
      const went = yield* tell(caller, conversation.id, "click #go")
      const read = { type: "object", properties: { title: { type: "string", path: "//h1" } } }
      const node = { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: read } }
      const previewed = yield* tell(caller, conversation.id, `preview ${JSON.stringify(node)}`)
      assert.deepStrictEqual(previewed.last.result, {
        done: true,
        action: "EXTRACT_DATAMODEL",
        nodeId: null,
        nodeName: "Extract title",
        url: list,
        data: { title: "Orders" }
      })
      assert.deepStrictEqual(previewed.conversation.draft, went.conversation.draft)
      assert.deepStrictEqual(previewed.conversation.progress, went.conversation.progress)
      const extracted = yield* tell(caller, conversation.id, orders)
      assert.deepStrictEqual(extracted.last.result?.data, { orders: [{ id: "A-1" }, { id: "A-2" }] })
      assert.include(extracted.last.text, 'It extracted {"orders":[{"id":"A-1"},{"id":"A-2"}]}')
      const again = yield* tell(caller, conversation.id, "again Extract orders")
      assert.deepInclude(again.last.result, { done: true, action: "EXTRACT_DATAMODEL" })
      assert.deepStrictEqual(again.conversation.draft.content, extracted.conversation.draft.content)
      assert.include((yield* tell(caller, conversation.id, "again Fly")).last.text, 'expected one of the steps "Open')
      const saved = yield* tell(caller, conversation.id, "save From a conversation")
      assert.strictEqual(saved.status, "completed")
      const workflows = yield* Workflows
      const [workflow] = yield* workflows.list(caller)
      assert.strictEqual(saved.conversation.origin?.workflowId, workflow?.workflow.id)
      const { version } = yield* workflows.get(caller, workflow?.workflow.id ?? WorkflowId.make(randomUUID()))
      assert.strictEqual(version.versionNote, "From a conversation")
      assert.deepStrictEqual(
        (version.content.nodes as ReadonlyArray<{ action: string }>).map(({ action }) => action),
        ["START", "INPUT_TEXT", "CLICK", "EXTRACT_DATAMODEL", "END"]
      )
      assert.deepInclude(version.content.input_schema, { required: ["user"] })
    })
  )
)

it.effect("a new workflow is strict, and a message says what a step was unsure of", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      const typed = yield* tell(caller, id, "type #user = Ann")
      assert.strictEqual(typed.conversation.draft.content.settings.strict, true)
      assert.notInclude(typed.last.text, "unsure")
      watched.unsure = true
      const doubt = " (unsure: Typed again into #user: the page had emptied it)"
      assert.include((yield* tell(caller, id, "type #user = Bob")).last.text, `Done: Type into #user 2${doubt}`)
      assert.include(
        (yield* tell(caller, id, "again Type into #user")).last.text,
        `Done again: Type into #user${doubt}`
      )
      const warned = yield* tell(caller, id, "again Type into #user")
      assert.deepStrictEqual(warned.last.result?.warnings, ["Typed again into #user: the page had emptied it"])
      assert.isUndefined(typed.last.result?.warnings)
      const replayed = yield* tell(caller, id, "replay")
      assert.match(replayed.last.text, /^Did 2 steps \(unsure: Typed again .*; Typed again .*\)\. The end/)
    })
  )
)

it.effect("a step that leads to another address expects it from then on, and is done again with that", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      const keptBy = (seen: Effect.Success<ReturnType<typeof tell>>) => seen.last.result?.keptExpect
      const expectedBy = ({ conversation: { draft } }: Effect.Success<ReturnType<typeof tell>>, name: string) =>
        (draft.content.nodes as ReadonlyArray<Candidate & { readonly name: string }>).find((one) => one.name === name)
          ?.parameters.expect
      assert.isUndefined(keptBy(yield* tell(caller, id, "type #user = Ann")))
      const expect = { conditions: [{ type: "address", contains: "/orders" }] }
      const clicked = yield* tell(caller, id, "click #go")
      assert.deepStrictEqual([keptBy(clicked), expectedBy(clicked, "Click #go")], [expect, expect])
      assert.include(clicked.last.text, 'From now on it expects that the address contains "/orders"')
      const without = yield* tell(caller, id, "expect Click #go = none")
      assert.isUndefined(expectedBy(without, "Click #go"))
      assert.deepStrictEqual(expectedBy(yield* tell(caller, id, "undo"), "Click #go"), expect)
      yield* tell(caller, id, "back")
      assert.include((yield* tell(caller, id, "again Click #go")).last.text, "Done again: Click #go")
      yield* tell(caller, id, 'expect Click #go = {"type":"address","contains":"/paid"}')
      yield* tell(caller, id, "back")
      const builder = yield* Builder
      yield* builder.say(caller, id, "again Click #go")
      yield* settle
      // It is waited for.
      yield* TestClock.adjust("16 seconds")
      yield* settle
      const { conversation } = yield* builder.get(caller, id)
      const [last] = yield* builder.messages(caller, id, conversation.messages, conversation.messages)
      assert.deepInclude(last?.result, { done: false, errorCode: "EXPECT-E0001" })
      assert.include(last?.text, 'the address contains "/paid"')
      const added = {
        action: "CLICK",
        parameters: {
          selector: "//a[@id='next']",
          expect: { conditions: [{ type: "address", contains: "/orders/2" }] }
        }
      }
      const next = yield* tell(caller, id, JSON.stringify(added))
      assert.deepInclude(next.last.result, { done: true, url: listEnd })
      assert.isUndefined(keptBy(next))
    })
  )
)

it.effect("a step that sends a password is only told what it may expect", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      yield* tell(caller, id, "input password = hunter2")
      yield* tell(caller, id, "type #user = {{context.inputs.password}}")
      const { last } = yield* tell(caller, id, "click #go")
      assert.isUndefined(last.result?.keptExpect)
      assert.deepStrictEqual(last.result?.proposedExpect, { conditions: [{ type: "address", contains: "/orders" }] })
      const onward = yield* tell(caller, id, orders)
      assert.isDefined(onward.last.result?.keptExpect, "what comes after it is no sign-in")
    })
  )
)

it.effect("a step that reads a list waits for a row, and expects one, but not in a loop", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      yield* tell(caller, id, "click #go")
      const parametersIn = ({ conversation: { draft } }: Effect.Success<ReturnType<typeof tell>>) =>
        (draft.content.nodes as ReadonlyArray<Candidate>).findLast(({ action }) => action === "EXTRACT_DATAMODEL")
          ?.parameters
      const expect = { conditions: [{ type: "element", selector: "//tr" }] }
      const read = yield* tell(caller, id, orders)
      assert.deepInclude(parametersIn(read), { selector: "//tr", expect })
      assert.deepStrictEqual(read.last.result?.keptExpect, expect)
      assert.include(read.last.text, "From now on it expects at least one //tr")
      yield* tell(caller, id, "loop context.orders as order")
      const inLoop = yield* tell(caller, id, orders)
      assert.isUndefined(inLoop.last.result?.keptExpect)
      assert.deepStrictEqual(inLoop.last.result?.proposedExpect, expect)
      assert.notProperty(parametersIn(inLoop), "expect")
    })
  )
)

const steps: ReadonlyArray<Step> = [
  { action: "INPUT_TEXT", parameters: { selector: "#user", text: "{{context.inputs.user}}" } },
  { action: "CLICK", parameters: { selector: "#gone", wait_time: 0 } },
  {
    action: "EXTRACT_DATAMODEL",
    parameters: {
      extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
    }
  }
]

const nodeId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`

it.effect("a loop is built on its first item, and leave does the others", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      yield* tell(caller, id, "click #go")
      assert.include((yield* tell(caller, id, "leave")).last.text, "the next step is not in a loop")
      assert.include((yield* tell(caller, id, "loop context.none as one")).last.text, '"context.none"')
      yield* tell(caller, id, orders)
      const begun = yield* tell(caller, id, "loop context.orders as order")
      const loop = "For each of {{context.orders}}"
      assert.include(begun.last.text, `Done: ${loop}. The next steps are the body of the loop`)
      assert.include((yield* tell(caller, id, `again ${loop}`)).last.text, "its first turn is being recorded")
      const set = { type: "SET", target: "context.last", value: "context.runtime.order.id" }
      const inside = yield* tell(caller, id, JSON.stringify({ action: "TRANSFORM", parameters: { operations: [set] } }))
      assert.isTrue(inside.last.result?.done, inside.last.text)
      const ended = yield* tell(caller, id, "leave")
      assert.include(ended.last.text, "Did 3 steps. The end of the workflow comes next")
      assert.strictEqual(ended.conversation.draft.cursor.way, "loop_done")
      const again = yield* tell(caller, id, `again ${loop}`)
      assert.include(again.last.text, `Done again: ${loop}, 5 steps`)
      assert.deepStrictEqual(again.conversation.draft, ended.conversation.draft)
      yield* tell(caller, id, "screenshot")
      const replayed = yield* tell(caller, id, "replay")
      assert.include(replayed.last.text, "Did 8 steps. The end of the workflow comes next")
      assert.deepStrictEqual(names(replayed.conversation).slice(2), [
        "Extract orders",
        "For each of {{context.orders}}",
        "Take a picture",
        "TRANSFORM",
        "Done"
      ])
    })
  )
)

it.effect("a loop over pages is done again as a whole, reads what it read before once, and can be undone", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      yield* tell(caller, id, "click #go")
      yield* tell(caller, id, orders)
      const paged = yield* tell(caller, id, "pages //a[@id='next']")
      const whole = { orders: [{ id: "A-1" }, { id: "A-2" }, { id: "A-3" }] }
      for (let time = 0; time < 2; time++) {
        const again = yield* tell(caller, id, "again Is there a further page?")
        assert.include(again.last.text, "Done again: Is there a further page?, 5 steps")
        assert.deepStrictEqual(again.last.result?.data, whole)
        assert.deepStrictEqual(again.conversation.draft.content, paged.conversation.draft.content)
        assert.deepStrictEqual(again.conversation.draft.cursor, paged.conversation.draft.cursor)
        // The last page leads back to the first one. The step for that is no part of the workflow.
        yield* tell(caller, id, "click #first")
        yield* tell(caller, id, "undo")
      }
      // Each of its steps can still be done alone.
      const alone = yield* tell(caller, id, "again Extract orders")
      assert.include(alone.last.text, "Done again: Extract orders. ")
      const undone = yield* tell(caller, id, "undo")
      assert.deepStrictEqual(names(undone.conversation), ["Open the start page", "Click #go", "Extract orders", "Done"])
    })
  )
)

it.effect("steps behind a check that does not hold are for that way, which can lead back", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      assert.include((yield* tell(caller, id, "join")).last.text, "this branch does not end the workflow")
      const checked = yield* tell(caller, id, "check //h2")
      assert.include(checked.last.text, "The condition does not hold here")
      assert.include((yield* tell(caller, id, "join")).last.text, "expected a step on this branch first")
      yield* tell(caller, id, "click #go")
      const joined = yield* tell(caller, id, "join")
      assert.strictEqual(joined.last.text, 'This branch continues with "Done", like the other one')
      assert.include((yield* tell(caller, id, "join")).last.text, "this branch does not end the workflow")
      assert.deepStrictEqual(names(joined.conversation), ["Open the start page", "Check", "Click #go", "Done"])
      const undone = yield* tell(caller, id, "undo")
      assert.deepStrictEqual(names(undone.conversation).at(-1), "Ended by: Check")
    })
  )
)

/** A workflow whose second step does not fit the page. */
const kept = (caller: Caller) =>
  Effect.gen(function* () {
    const input_schema = { type: "object", properties: { user: { type: "string" } }, required: ["user"] }
    return yield* (yield* Workflows).create(caller, { name: "Orders", ...graphOf(login, steps), input_schema })
  })

it.effect("a workflow is done up to a node, where a failing step is replaced and the rest continues", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const caller = yield* makeWorkspace()
      const { workflow } = yield* kept(caller)
      const { conversation } = yield* builder.open(caller, yield* ofWorkflow(caller, workflow.id, nodeId(2), given))
      yield* settle
      const { id } = conversation
      const [replayed] = yield* builder.messages(caller, id, 1, 1)
      assert.strictEqual(replayed?.text, `Did 1 step. Next comes "CLICK 2". The page is at ${login}`)
      const failing = yield* tell(caller, id, "next")
      assert.include(failing.last.text, 'Node "CLICK 2": Cannot click #gone')
      assert.strictEqual(failing.status, "completed")
      yield* tell(caller, id, "click #go")
      const dropped = yield* tell(caller, id, "drop")
      assert.strictEqual(dropped.last.text, 'The step "CLICK 2" is no longer part of the workflow')
      const done = yield* tell(caller, id, "continue")
      assert.strictEqual(
        done.last.text,
        `Did 1 step. The end of the workflow comes next. The page is at ${list}. It extracted {"title":"Orders"}`
      )
      assert.deepStrictEqual(done.last.result?.data, { title: "Orders" })
      assert.deepStrictEqual(names(done.conversation), [
        "START 0",
        "INPUT_TEXT 1",
        "Click #go",
        "EXTRACT_DATAMODEL 3",
        "END 4"
      ])
      const stored = yield* builder.save(caller, id, { note: "Fixed", force: false })
      assert.deepStrictEqual([stored.workflow.id, stored.version.versionNumber], [workflow.id, 2])
      yield* tell(caller, id, "undo")
      assert.include(names((yield* tell(caller, id, "undo")).conversation), "CLICK 2")
    })
  )
)

/** A workflow whose click is for another user, and that reads the answer of the page. */
const conditional = (caller: Caller) =>
  Effect.gen(function* () {
    const graph = graphOf(login, [
      {
        action: "CLICK",
        parameters: {
          selector: "#go",
          run_if: {
            match: "all",
            conditions: [{ field: "context.inputs.user", operator: "EQUAL", value: "somebody-else" }]
          }
        }
      },
      {
        action: "EXTRACT_NETWORK",
        parameters: {
          url: login,
          full_request: true,
          extract_data_model: {
            type: "object",
            properties: { status: { type: "integer", path: "response.status" } }
          }
        }
      }
    ])
    return yield* (yield* Workflows).create(caller, { name: "Conditional", ...graph })
  })

it.effect("a conversation skips the nodes that a run would skip, and reads the network like a run", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const caller = yield* makeWorkspace()
      const { workflow } = yield* conditional(caller)
      const { conversation } = yield* builder.open(caller, yield* ofWorkflow(caller, workflow.id, nodeId(1), given))
      yield* settle
      const { id } = conversation
      const skipped = yield* tell(caller, id, "next")
      assert.strictEqual(
        skipped.last.text,
        'Skipped: CLICK 1. Its run_if does not hold here. Next comes "EXTRACT_NETWORK 2"'
      )
      const read = yield* tell(caller, id, "next")
      assert.deepStrictEqual(read.last.result?.data, { status: 200 })
      const replayed = yield* tell(caller, id, "replay")
      assert.strictEqual(
        replayed.last.text,
        `Did 1 step, skipped 1. The end of the workflow comes next. The page is at ${login}. It extracted {"status":200}`
      )
    })
  )
)

it.effect("what was carried out on the page is told step by step, and is forgotten of a step that is changed", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const caller = yield* makeWorkspace()
      const { workflow } = yield* kept(caller)
      const { conversation } = yield* builder.open(caller, yield* ofWorkflow(caller, workflow.id, nodeId(2), given))
      yield* settle
      const { id } = conversation
      const opened = { [nodeId(0)]: "done", [nodeId(1)]: "done" } as const
      const failing = yield* tell(caller, id, "continue")
      assert.deepStrictEqual(failing.conversation.progress, {
        steps: { ...opened, [nodeId(2)]: "failed" },
        last: nodeId(1)
      })
      const mended = { id: nodeId(2), name: "CLICK 2", action: "CLICK", parameters: { selector: "#go" } }
      const changed = yield* tell(caller, id, `edit {"nodes":{"${nodeId(2)}":${JSON.stringify(mended)}}}`)
      assert.strictEqual(changed.last.text, 'Changed "CLICK 2". Nothing was carried out')
      assert.deepStrictEqual(changed.conversation.progress, { steps: opened, last: nodeId(1) })
      assert.isTrue(changed.conversation.draft.unsaved)
      const before = yield* tell(caller, id, "continue EXTRACT_DATAMODEL 3")
      assert.include(before.last.text, 'Did 1 step. Next comes "EXTRACT_DATAMODEL 3"')
      assert.deepStrictEqual(before.conversation.progress?.last, nodeId(2))
      const whole = yield* tell(caller, id, "continue")
      assert.deepStrictEqual(whole.conversation.progress?.steps[nodeId(3)], "done")
      const again = yield* tell(caller, id, `replay ${nodeId(2)}`)
      assert.include(again.last.text, 'Did 1 step. Next comes "CLICK 2"')
      assert.deepStrictEqual(again.conversation.progress, { steps: opened, last: nodeId(1) })
      const to = yield* tell(caller, id, `edit {"cursor":{"after":"${nodeId(2)}","way":"to"}}`)
      assert.strictEqual(to.last.text, 'The next step goes after "CLICK 2"')
      assert.strictEqual(to.conversation.progress?.last, nodeId(1))
      const unknown = yield* tell(caller, id, "replay Fly")
      assert.include(unknown.last.text, 'There is no step "Fly": expected one of "START 0"')
      const saved = yield* builder.save(caller, id, { note: "Mended", force: false })
      assert.strictEqual(saved.version.versionNumber, 2)
      assert.isFalse((yield* builder.get(caller, id)).conversation.draft.unsaved)
      yield* tell(caller, id, "undo")
      const redone = yield* tell(caller, id, "redo")
      assert.strictEqual(redone.last.text, "The change was made again. The page is unchanged")
      assert.strictEqual((yield* tell(caller, id, "redo")).last.text, "There is nothing to make again")
    })
  )
)

it.effect("a replay that fails stays at the node that failed", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const caller = yield* makeWorkspace()
      const { workflow } = yield* kept(caller)
      const { conversation } = yield* builder.open(caller, yield* ofWorkflow(caller, workflow.id, nodeId(3), given))
      yield* settle
      const [replayed] = yield* builder.messages(caller, conversation.id, 1, 1)
      assert.deepInclude(replayed?.result, { done: false, nodeId: nodeId(2), errorCode: "SELECTOR-E0001" })
      assert.strictEqual((yield* builder.get(caller, conversation.id)).conversation.draft.cursor.after, nodeId(1))
    })
  )
)

it.effect("inputs that are missing are asked for, once", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const caller = yield* makeWorkspace()
      const { workflow } = yield* kept(caller)
      const { conversation, status: asking } = yield* builder.open(
        caller,
        yield* ofWorkflow(caller, workflow.id, nodeId(2), { ...given, inputs: {} })
      )
      const { id } = conversation
      assert.strictEqual(asking, "awaiting-human-input")
      const [question] = yield* builder.messages(caller, id, 1, 1)
      assert.deepInclude(question?.question, { missing: ["user"], state: "open" })
      const messageId = question?.id ?? ""
      const answer = (given: { readonly value: string | number }) =>
        Effect.result(builder.respond(caller, id, { messageId, given }))
      const wrong = yield* answer({ value: 5 })
      assert.strictEqual(Result.isFailure(wrong) && wrong.failure._tag, "InvalidInput")
      assert.isTrue(Result.isSuccess(yield* answer({ value: "secret" })))
      yield* settle
      assert.strictEqual(yield* status(caller, id), "completed")
      const again = yield* answer({ value: "me" })
      assert.strictEqual(Result.isFailure(again) && again.failure._tag, "AlreadyAnswered")
      const told = yield* builder.messages(caller, id, 1, 100)
      assert.notInclude(JSON.stringify(told), "secret")
      assert.strictEqual(told[0]?.question?.state, "answered")
    })
  )
)

it.effect("a turn is stopped when its user interrupts it, and the page stays open", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const { caller, id } = yield* opened
      const busy = yield* tell(caller, id, "delay 60")
      assert.strictEqual(busy.status, "processing")
      const refused = yield* Effect.flip(builder.say(caller, id, "click #go"))
      assert.strictEqual(refused._tag, "SessionBusy")
      yield* builder.interrupt(caller, id)
      yield* settle
      assert.strictEqual(yield* status(caller, id), "idle")
      const after = yield* tell(caller, id, "click #go")
      assert.deepInclude(after.last.result, { done: true, url: list })
      assert.notInclude(names(after.conversation), "Wait")
    })
  )
)

it.effect("a page is shown as it is, also during a step, and not once it is gone", () =>
  provided(
    Effect.gen(function* () {
      const builder = yield* Builder
      const fiber = yield* host
      const { caller, id } = yield* opened
      yield* tell(caller, id, "delay 60")
      const [picture, html] = yield* Effect.all(
        [builder.look(caller, id, "screenshot"), builder.look(caller, id, "html")],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(Option.getOrNull(picture), {
        url: login,
        body: Buffer.from(jpeg(800, 600).bytes).toString("base64")
      })
      assert.include(Option.getOrNull(html)?.body, "Sign in")
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Option.isNone(yield* builder.look(caller, id, "html")))
    })
  )
)

it.effect("a host that is shut down gives its conversations back, and another one continues with them", () =>
  provided(
    Effect.gen(function* () {
      const first = yield* host
      const { caller, id } = yield* opened
      yield* tell(caller, id, "delay 60")
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual([yield* status(caller, id), watched.open], ["agent-errored", 0])
      const second = yield* host
      const after = yield* tell(caller, id, "click #go")
      assert.include(after.last.text, "The page was lost, so the start page was opened again")
      assert.deepInclude(after.last.result, { done: true, url: list })
      const replayed = yield* tell(caller, id, "replay")
      assert.include(replayed.last.text, "Did 1 step.")
      yield* Fiber.interrupt(second)
    })
  )
)

it.effect(
  "a host that dies takes no conversation with it: a turn is never done twice, and late results are refused",
  () =>
    provided(
      Effect.gen(function* () {
        const store = yield* BuilderStore
        const builder = yield* Builder
        const caller = yield* makeWorkspace()
        const { conversation } = yield* builder.open(caller, opening)
        const { id } = conversation
        const [claimed] = yield* store.claim({ host: "dead", limit: 1, leaseMillis: 30_000 })
        const held = { id, fence: claimed?.fence ?? 0 }
        yield* store.settle(held, Conversation.taken)
        yield* TestClock.adjust(30_000)
        assert.strictEqual(yield* status(caller, id), "agent-errored")
        const fiber = yield* host
        const after = yield* tell(caller, id, "click #go")
        assert.deepInclude(after.last.result, { done: true, url: list })
        const lost = (yield* builder.messages(caller, id, 1, 1))[0]
        assert.include(lost?.text, "was lost before it was done")
        const late = yield* Effect.flip(store.settle(held, Conversation.taken))
        assert.strictEqual(late._tag, "HostLost")
        yield* Fiber.interrupt(fiber)
      })
    )
)

it.effect("a loop is recorded in its first turn, leaving it does the others, and an input is added on the way", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      const over = (variable_over: unknown) =>
        JSON.stringify({
          action: "LOOP",
          name: "For each of {{context.orders}}",
          parameters: { variable_over, variable_current_item: "order", variable_current_index: "order_number" }
        })
      assert.include((yield* tell(caller, id, "leave")).last.text, "not in a loop")
      yield* tell(caller, id, "click #go")
      yield* tell(caller, id, orders)
      assert.include((yield* tell(caller, id, over(0))).last.text, "the list is empty here")
      const begun = yield* tell(caller, id, over("{{context.orders}}"))
      assert.deepInclude(begun.last.result, { done: true, action: "LOOP" })
      const seen = `extract {"type":"object","properties":{"seen":{"type":"array","path":"//h1","items":{"type":"string","path":"."}}}}`
      assert.deepStrictEqual((yield* tell(caller, id, seen)).last.result?.data, { seen: ["Orders"] })
      const left = yield* tell(caller, id, "leave")
      const did = `Did 3 steps. The end of the workflow comes next. The page is at ${list}`
      assert.strictEqual(left.last.text, `${did}. It extracted {"seen":["Orders","Orders"]}`)
      assert.deepInclude(left.conversation.draft.cursor, { way: "loop_done" })
      assert.include((yield* tell(caller, id, "input user = you")).last.text, 'There is an input "user" already')
      const added = yield* tell(caller, id, "input city = Bremen")
      assert.deepStrictEqual(added.conversation.inputs, { user: "me", city: "Bremen" })
      yield* tell(caller, id, `navigate ${login}`)
      const typed = yield* tell(caller, id, "type #user = {{context.inputs.city}}")
      assert.deepInclude(typed.last.result, { done: true, action: "INPUT_TEXT" })
      assert.include((yield* tell(caller, id, "replay")).last.text, "Did 9 steps")
    })
  )
)

it.effect(
  "a click that has the browser save a file becomes a click and the step that keeps it, with its name and size",
  () =>
    hosted(
      Effect.gen(function* () {
        const { caller, id } = yield* opened
        yield* tell(caller, id, `navigate ${listEnd}`)
        const { conversation, last } = yield* tell(caller, id, "click #save")
        assert.strictEqual(
          last.text,
          `Done: Click #save; Keep the file (order A-3.pdf, 8 bytes). The page is at ${listEnd}`
        )
        assert.deepInclude(last.result, { done: true, action: "CLICK" })
        assert.deepStrictEqual(names(conversation).slice(2, 4), ["Click #save", "Keep the file"])
        const kept = String((conversation.draft.content.nodes as ReadonlyArray<{ readonly id: string }>)[3]?.id)
        assert.strictEqual(conversation.draft.cursor.after, kept)
        const file = { name: "order A-3.pdf", bytes: 8 }
        assert.deepStrictEqual(conversation.progress?.files, { [kept]: [file] })
        // The same by a walk.
        const replayed = yield* tell(caller, id, "replay")
        assert.include(replayed.last.text, "Did 3 steps")
        assert.deepStrictEqual(replayed.conversation.progress?.files, { [kept]: [file] })
        const gone = yield* tell(caller, id, "undo")
        assert.isUndefined(gone.conversation.progress?.files)
        assert.include((yield* tell(caller, id, "undo")).last.text, "Click #save")
        // The click stays where its file cannot be kept.
        const broken = yield* tell(caller, id, "click #broken")
        assert.include(broken.last.text, "what it has the browser download was not kept: Node")
        assert.deepStrictEqual(names(broken.conversation).slice(2), ["Click #broken", "Done"])
      })
    )
)

it.effect("a step that asks a person gets the answer of the conversation, which its messages do not keep", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      const model = { type: "object", properties: { code: { type: "string" } }, required: ["code"] }
      const asking = JSON.stringify({ action: "USER_INTERACTION", parameters: { expected_datamodel: model } })
      assert.deepInclude((yield* tell(caller, id, asking)).last.result, { done: false })
      const answered = yield* tell(caller, id, "answer code = 493027")
      assert.include(answered.last.text, 'ask a person for "code" get this answer')
      assert.deepStrictEqual(
        answered.conversation.draft.content.input_schema,
        (yield* tell(caller, id, "help")).conversation.draft.content.input_schema
      )
      assert.deepInclude((yield* tell(caller, id, asking)).last.result, { done: true })
      const typed = yield* tell(caller, id, "type #user = {{context.code}}")
      assert.deepInclude(typed.last.result, { done: true })
      const said = yield* (yield* Builder).messages(caller, id, 1, typed.conversation.messages)
      assert.notInclude(JSON.stringify(said), "493027")
      assert.include(JSON.stringify(said), "answer code = …")
      assert.include((yield* tell(caller, id, "answer user = you")).last.text, 'There is an input "user" already')
    })
  )
)

it.effect("a page that goes away leaves a conversation that the next message brings back", () =>
  hosted(
    Effect.gen(function* () {
      const { caller, id } = yield* opened
      watched.broken = true
      const broken = yield* tell(caller, id, "click #go")
      assert.deepStrictEqual([broken.status, broken.conversation.page, watched.open], ["agent-errored", false, 0])
      watched.broken = false
      assert.deepInclude((yield* tell(caller, id, "click #go")).last.result, { done: true })
    })
  )
)

it.effect("a conversation in which nothing happens ends, and one that is ended gives its browser back at once", () =>
  hosted(
    Effect.gen(function* () {
      const builder = yield* Builder
      const idle = yield* opened
      const left = yield* opened
      const waiting = yield* opened
      assert.deepStrictEqual([watched.open, yield* status(waiting.caller, waiting.id)], [2, "processing"])
      yield* builder.end(left.caller, left.id)
      yield* settle
      assert.deepStrictEqual([watched.open, yield* status(waiting.caller, waiting.id)], [2, "completed"])
      yield* TestClock.adjust(Conversation.idleMillis)
      yield* settle
      assert.deepStrictEqual([yield* status(idle.caller, idle.id), watched.open], ["ended", 0])
      assert.strictEqual(
        (yield* Effect.flip(builder.say(idle.caller, idle.id, "click #go")))._tag,
        "ConversationNotFound"
      )
      const saved = yield* builder.save(idle.caller, idle.id, { note: "Late", force: false })
      assert.strictEqual(saved.version.versionNumber, 1)
      assert.strictEqual(yield* status(idle.caller, idle.id), "ended")
    })
  )
)
