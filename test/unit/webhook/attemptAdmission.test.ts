import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as AttemptAdmission from "../../../core/event/webhook/AttemptAdmission.ts"
import * as Circuit from "../../../core/event/webhook/Circuit.ts"
import type { Outcome } from "../../../core/event/webhook/Delivery.ts"

const options = { workers: 32, perWebhook: 4 }

const place = (workspaceId: string, path: string, origin = "http://shared.example"): AttemptAdmission.Place => ({
  workspaceId,
  webhookId: `${workspaceId}-${path}`,
  url: `${origin}/${path}`
})

const answered = (status: number, retryAfterMillis: number | null = null, durationMillis = 5): Outcome => ({
  _tag: "Answered",
  status,
  durationMillis,
  retryAfterMillis
})
const refused: Outcome = { _tag: "Unreachable", reason: "refused", durationMillis: 1, isConnectionRefused: true }
const cut: Outcome = { _tag: "Unreachable", reason: "cut", durationMillis: 1 }

/** Makes attempts until one is put off, at most `most`, and answers how many were made. */
const attempts = (
  admission: AttemptAdmission.Admission,
  to: AttemptAdmission.Place,
  outcome: Outcome,
  now = 0,
  most = 4 * Circuit.threshold
) => {
  let made = 0
  while (made < most && admission.ask(to, now) === null) {
    admission.settle(to, outcome, now)
    made++
  }
  return made
}

describe("an attempt", () => {
  it.each([
    ["500", answered(500)],
    ["503 without Retry-After", answered(503)],
    ["a connection that is cut", cut],
    ["no answer", { _tag: "Unreachable", reason: "late", durationMillis: 15_000 } satisfies Outcome]
  ] as const)("to a receiver with %s closes its webhook, and no other of its origin", (_name, outcome) => {
    const admission = AttemptAdmission.make(options)
    assert.strictEqual(attempts(admission, place("a", "dead"), outcome), Circuit.threshold)
    for (const other of [place("b", "good"), place("b", "dead"), place("a", "good")]) {
      assert.strictEqual(attempts(admission, other, answered(200), 0, 20), 20)
    }
    assert.isNotNull(admission.ask(place("a", "dead"), Circuit.coolDowns.first - 1))
    assert.isNull(admission.ask(place("a", "dead"), Circuit.coolDowns.first))
  })

  it.each([
    ["429", answered(429)],
    ["a refusal of the message", answered(400)],
    ["a refusal of our own", { _tag: "Refused", reason: "private" } satisfies Outcome]
  ] as const)("with %s closes nothing", (_name, outcome) => {
    const admission = AttemptAdmission.make(options)
    assert.strictEqual(attempts(admission, place("a", "busy"), outcome, 0, 100), 100)
  })

  it.each([429, 503])("with %i and Retry-After delays its webhook alone, and no longer than an hour", (status) => {
    const admission = AttemptAdmission.make(options)
    assert.strictEqual(attempts(admission, place("a", "busy"), answered(status, 60_000)), 1)
    const until = admission.ask(place("a", "busy"), 1_000)
    assert.isAtLeast(until ?? 0, 60_000)
    assert.isBelow(until ?? 0, 62_000)
    assert.isNull(admission.ask(place("b", "good"), 1_000))
    // No probe: all places are there again.
    for (let taken = 0; taken < options.perWebhook; taken++) assert.isNull(admission.ask(place("a", "busy"), 60_000))
    const later = AttemptAdmission.make(options)
    assert.strictEqual(attempts(later, place("a", "busy"), answered(status, 1e12)), 1)
    assert.isNull(later.ask(place("a", "busy"), 3_600_000))
  })

  it("that is refused a connection closes the origin for all, until one succeeds; no booking of one delays another", () => {
    const admission = AttemptAdmission.make(options)
    assert.strictEqual(attempts(admission, place("a", "x"), refused), Circuit.threshold)
    // One workspace has much to send, which is put off one after the other.
    const untils = Array.from({ length: 2_000 }, () => admission.ask(place("a", "x"), 1) ?? 0)
    assert.strictEqual(new Set(untils).size, 2_000)
    const until = admission.ask(place("b", "good"), 1)
    assert.isAtLeast(until ?? 0, Circuit.coolDowns.first)
    assert.isBelow(until ?? 0, Circuit.coolDowns.first + 1_000)
    assert.isNull(admission.ask(place("c", "y", "http://another.example"), 1))
    const probing = Circuit.coolDowns.first
    assert.isNull(admission.ask(place("b", "good"), probing))
    assert.isNotNull(admission.ask(place("c", "good"), probing))
    admission.settle(place("b", "good"), answered(500), probing)
    assert.isNull(admission.ask(place("c", "good"), probing))
  })

  it("to a webhook whose address was changed begins anew", () => {
    const admission = AttemptAdmission.make(options)
    const before = place("a", "dead")
    attempts(admission, before, answered(500))
    assert.isNull(admission.ask({ ...before, url: "http://shared.example/repaired" }, 0))
  })

  it("is forgotten when its receiver is healthy, or was not called for long", () => {
    const admission = AttemptAdmission.make(options)
    attempts(admission, place("a", "dead"), answered(500), 0, Circuit.threshold)
    admission.tidy(Circuit.coolDowns.longest)
    assert.isNotNull(admission.ask(place("a", "dead"), 1))
    admission.tidy(1_000_000)
    assert.strictEqual(attempts(admission, place("a", "dead"), answered(500), 1, 20), Circuit.threshold)
  })
})

const Ask = Schema.Struct({
  workspace: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
  webhook: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
  ends: Schema.Boolean
})

describe("the places of a process", () => {
  it.effect.prop(
    "are never all taken while one workspace has more than one, and one that has none gets one at once",
    [Schema.Array(Ask).check(Schema.isMaxLength(300))],
    ([asks]) =>
      Effect.sync(() => {
        const admission = AttemptAdmission.make(options)
        const held: Array<AttemptAdmission.Place> = []
        for (const { ends, webhook, workspace } of asks) {
          const to = place(String(workspace), `hook-${webhook}`)
          const has = held.filter(({ workspaceId }) => workspaceId === to.workspaceId).length
          const ended = ends ? held.shift() : undefined
          if (ended !== undefined) admission.release(ended)
          else if (admission.ask(to, 0) === null) {
            held.push(to)
            assert.isAtMost(has + 1, options.workers / 2)
          } else assert.isAbove(has, 0)
          assert.isBelow(held.length, options.workers)
        }
      }),
    { arbitrary: { runs: 300, size: 200 } }
  )
})
