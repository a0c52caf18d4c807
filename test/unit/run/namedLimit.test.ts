import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LimitLedger from "../../../core/run/limit/LimitLedger.ts"
import * as NamedLimit from "../../../core/run/limit/NamedLimit.ts"

const noon = Date.UTC(2027, 0, 1, 12)

const limit = (fields: Partial<NamedLimit.NamedLimit> = {}): NamedLimit.NamedLimit => ({
  id: "limit",
  name: "portal.example",
  maxRunning: null,
  maxStartsPerMinute: null,
  workflowIds: [],
  credentialIds: [],
  tags: [],
  pause: null,
  override: null,
  createdAt: 0,
  createdBy: "user",
  updatedAt: 0,
  ...fields
})

const run = (fields: Partial<NamedLimit.Drawing> = {}): NamedLimit.Drawing => ({
  workspaceId: "workspace",
  workflowId: "workflow",
  tags: [],
  credentialIds: [],
  ...fields
})

const pause = { since: noon, by: "user", reason: "" }
const override = { maxRunning: 9, maxStartsPerMinute: null, until: noon + 1_000, by: "user" }
const fresh = { running: 0, takenUntil: 0 }

describe("a named limit", () => {
  it.each([
    ["its workflow", { workflowIds: ["other", "workflow"] }, run(), true],
    ["another workflow", { workflowIds: ["other"] }, run(), false],
    ["one of its tags", { tags: ["nightly"] }, run({ tags: ["a", "nightly"] }), true],
    ["no tag of it", { tags: ["nightly"] }, run({ tags: ["a"] }), false],
    ["a credential that it is given", { credentialIds: ["entry"] }, run({ credentialIds: ["entry"] }), true],
    ["a credential that it is not given", { credentialIds: ["entry"] }, run(), false],
    ["nothing", {}, run({ tags: ["a"], credentialIds: ["entry"] }), false]
  ] as const)("is drawn on by a run by %s", (_, fields, of, expected) => {
    assert.strictEqual(NamedLimit.drawsOn(limit(fields), of), expected)
  })

  it.each([
    ["what is free of it", { maxRunning: 3 }, { running: 1, takenUntil: 0 }, noon, 2],
    ["nothing while it is paused", { maxRunning: 3, pause }, fresh, noon, 0],
    ["the numbers of its override before its end", { maxRunning: 1, override }, fresh, noon + 999, 9],
    ["its own numbers from the end of its override on", { maxRunning: 1, override }, fresh, noon + 1_000, 1],
    ["nothing while it is paused, whatever its override says", { maxRunning: 1, override, pause }, fresh, noon, 0]
  ] as const)("allows %s", (_, fields, progress, at, expected) => {
    assert.strictEqual(NamedLimit.allowance(limit(fields), progress, at), expected)
  })

  it.each([
    ["none while it is paused", { maxStartsPerMinute: 1, pause, override }, fresh, null],
    ["none where only the end of a run frees it", { maxRunning: 1 }, { running: 1, takenUntil: 0 }, null],
    [
      "the end of an override that is used up",
      { maxRunning: 3, override: { ...override, maxRunning: 1 } },
      { running: 1, takenUntil: 0 },
      noon + 1_000
    ],
    ["the next start of its minute", { maxStartsPerMinute: 60 }, { running: 5, takenUntil: noon + 1_005 }, noon + 755]
  ] as const)("names the next instant at which it may allow more: %s", (_, fields, progress, expected) => {
    assert.strictEqual(NamedLimit.nextChangeAt(limit(fields), progress, noon), expected)
  })

  const small = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 }))
  const steps = Schema.Array(
    Schema.Struct({
      gap: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_000 })),
      wanted: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
      ended: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 })),
      by: Schema.Literals(["workflow", "tag", "entry", "nothing"])
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(80))

  const drawing = {
    workflow: run(),
    tag: run({ workflowId: "other", tags: ["nightly"] }),
    entry: run({ workflowId: "other", credentialIds: ["entry"] }),
    nothing: run({ workflowId: "other" })
  }

  it.prop(
    "has never more runs at once, nor more starts in any 60 seconds, and keeps no run that draws on nothing",
    [small, small, steps],
    ([maxRunning, maxStartsPerMinute, all]) => {
      const one = limit({
        maxRunning,
        maxStartsPerMinute,
        workflowIds: ["workflow"],
        tags: ["nightly"],
        credentialIds: ["entry"]
      })
      let [at, running, takenUntil] = [noon, 0, 0]
      const starts: Array<number> = []
      for (const { by, ended, gap, wanted } of all) {
        at += gap
        running = Math.max(0, running - ended)
        const ledger = LimitLedger.make(at)
        ledger.know([{ workspaceId: "workspace", limit: one, running, takenUntil }])
        for (let n = 0; n < wanted; n++) {
          const isSpent = ledger.spent(drawing[by]) !== null
          if (by === "nothing" && isSpent) return false
          if (isSpent) break
          ledger.take(drawing[by])
          if (by === "nothing") continue
          running++
          starts.push(at)
        }
        takenUntil = ledger.taken()[0]?.takenUntil ?? takenUntil
        if (running > maxRunning) return false
      }
      return starts.every(
        (from) => starts.filter((one) => one >= from && one < from + 60_000).length <= maxStartsPerMinute
      )
    },
    { arbitrary: { runs: 200 } }
  )

  it("counts a run once for each limit that it draws on, and not for those of another workspace", () => {
    const ledger = LimitLedger.make(noon)
    const shared = limit({ id: "shared", name: "shared", maxRunning: 2, workflowIds: ["workflow"], tags: ["nightly"] })
    const foreign = limit({ id: "foreign", name: "foreign", maxRunning: 1, tags: ["nightly"] })
    ledger.know([
      { workspaceId: "workspace", limit: shared, ...fresh },
      { workspaceId: "elsewhere", limit: foreign, ...fresh }
    ])
    const nightly = run({ tags: ["nightly"] })
    ledger.take(nightly)
    assert.isNull(ledger.spent(nightly))
    assert.deepStrictEqual(ledger.spentTags("workspace"), [])
    ledger.take(nightly)
    assert.strictEqual(ledger.spent(nightly)?.limit.name, "shared")
    assert.deepStrictEqual(ledger.spentTags("workspace"), ["nightly"])
    assert.deepStrictEqual(ledger.spentTags("elsewhere"), [])
    assert.isNull(ledger.spent(run({ workflowId: "other" })))
  })
})
