import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as Canary from "../../../core/workflow/canary/Canary.ts"
import * as CanaryVerdict from "../../../core/workflow/canary/CanaryVerdict.ts"
import type { WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import { UserId, VersionId, WorkflowId } from "../../../core/workspace/Ids.ts"
import { scale } from "../../support/scale.ts"

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
const draws = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Rates {
  readonly share: number
  /** How often a run of each version fails. */
  readonly base: number
  readonly candidate: number
}

/** One canary without a limit of its own: its verdict, and the failed runs of the new version until then. */
const simulated = ({ base, candidate, share }: Rates, seed: number, judge = CanaryVerdict.of) => {
  const draw = draws(seed)
  const counts = { base: { succeeded: 0, failed: 0 }, candidate: { succeeded: 0, failed: 0 } }
  const limits = { runs: 100, max_failures: 1_000 }
  while (true) {
    const isCandidate = draw() < share
    const one = isCandidate ? counts.candidate : counts.base
    if (draw() < (isCandidate ? candidate : base)) one.failed++
    else one.succeeded++
    if (!isCandidate) continue
    const verdict = judge(limits, counts)
    if (verdict._tag !== "Continue") return { verdict: verdict._tag, failed: counts.candidate.failed }
  }
}

const seeds = Array.from({ length: 400 * scale }, (_, seed) => seed * 7_919 + 1)
const shares = [0.05, 0.2, 0.5]

const falseStops = (judge = CanaryVerdict.of, rates = [0.02, 0.1, 0.3, 0.5]) =>
  Math.max(
    ...shares.flatMap((share) =>
      rates.map((rate) => {
        const stopped = seeds.filter(
          (seed) => simulated({ share, base: rate, candidate: rate }, seed, judge).verdict === "Stop"
        )
        return stopped.length / seeds.length
      })
    )
  )

it("a version that fails as often as the one before is stopped in less than 1 % of canaries", () => {
  assert.isBelow(falseStops(), 0.01)
})

it("a test that looks again and again without spending its error stops far more of them", () => {
  const naive: typeof CanaryVerdict.of = (limits, evidence) =>
    CanaryVerdict.worseByChance(evidence) < 0.01
      ? { _tag: "Stop", reason: "" }
      : CanaryVerdict.of(limits, { ...evidence, base: { succeeded: 1, failed: 0 } })
  assert.isAbove(falseStops(naive, [0.3]), 0.01)
})

it("a version that always fails is stopped after at most 10 failed runs", () => {
  for (const share of shares) {
    for (const base of [0, 0.05, 0.3]) {
      for (const seed of seeds) {
        const { failed, verdict } = simulated({ share, base, candidate: 1 }, seed)
        assert.strictEqual(verdict, "Stop")
        assert.isAtMost(failed, 10)
      }
    }
  }
})

it("a version that fails far more often is stopped, and one that mends failures is not", () => {
  const worse = seeds.filter((seed) => simulated({ share: 0.2, base: 0.05, candidate: 0.4 }, seed).verdict === "Stop")
  assert.isAbove(worse.length / seeds.length, 0.98)
  const better = seeds.filter((seed) => simulated({ share: 0.2, base: 0.4, candidate: 0.1 }, seed).verdict === "Stop")
  assert.isBelow(better.length / seeds.length, 0.002)
})

it("a site that is down stops no version by comparison, and max_failures stops it all the same", () => {
  const counts = (failed: number) => ({ base: { succeeded: 0, failed: 40 }, candidate: { succeeded: 0, failed } })
  assert.strictEqual(CanaryVerdict.of({ runs: 100, max_failures: 30 }, counts(29))._tag, "Continue")
  assert.strictEqual(CanaryVerdict.of({ runs: 100, max_failures: 30 }, counts(30))._tag, "Stop")
})

it("the chance is that of the exact test", () => {
  const chance = (candidate: [number, number], base: [number, number]) =>
    CanaryVerdict.worseByChance({
      candidate: { succeeded: candidate[0], failed: candidate[1] },
      base: { succeeded: base[0], failed: base[1] }
    })
  // The tea tasting: 3 of 4 right, as often as 17 of 70.
  assert.closeTo(chance([1, 3], [3, 1]), 17 / 70, 1e-12)
  assert.closeTo(chance([0, 20], [20, 0]), 1 / 137_846_528_820, 1e-18)
  assert.strictEqual(chance([5, 0], [5, 3]), 1)
  assert.strictEqual(chance([0, 5], [0, 0]), 1)
})

const version = (number: number, inputs: object = {}): WorkflowVersion => ({
  versionId: VersionId.make(`00000000-0000-4000-8000-00000000000${number}`),
  workflowId: WorkflowId.make("00000000-0000-4000-8000-0000000000aa"),
  versionNumber: number,
  createdAt: 0,
  createdBy: UserId.make("00000000-0000-4000-8000-0000000000bb"),
  versionNote: null,
  name: "W",
  description: null,
  content: {
    nodes: [],
    edges: {},
    input_schema: { properties: { ...inputs } },
    output_schema: {},
    vault_schema: {},
    max_retries: number,
    settings: {}
  }
})
const terms = { share: 0.25, runs: 20, max_failures: 5 }
const actor = { at: 9, by: "u" }
const started = Canary.start({ version: version(1), canary: null }, version(2), terms, actor)
const canary = Result.getOrThrow(started)

it("a run gets the same version by the same id, and the new one gets its share of random ids", () => {
  const draw = draws(3)
  const ids = Array.from({ length: 20_000 }, () =>
    Math.floor(draw() * 2 ** 32)
      .toString(16)
      .padStart(36, "0")
  )
  const chosen = ids.filter((id) => Canary.armOf(canary, id) === "candidate")
  assert.closeTo(chosen.length / ids.length, 0.25, 0.02)
  for (const id of ids.slice(0, 100)) {
    const assigned = Canary.assign(version(2), canary, id)
    const expected = Canary.armOf(canary, id) === "candidate" ? version(2) : version(1)
    assert.strictEqual(assigned.versionId, expected.versionId)
    assert.strictEqual(assigned.content.max_retries, expected.content.max_retries)
  }
  assert.strictEqual(Canary.armOf({ ...canary, state: "stopped" }, "f".repeat(36)), null)
})

it("a canary is refused for a save that changes nothing, and for other inputs", () => {
  const messageOf = (next: WorkflowVersion) => {
    const refused = Canary.start({ version: version(1), canary: null }, next, terms, actor)
    return Result.isFailure(refused) ? refused.failure.message : "accepted"
  }
  assert.include(messageOf(version(1)), "this save changes nothing")
  assert.include(messageOf(version(2, { month: {} })), "input_schema")
})

it("another version ends a canary, and a canary of another version keeps the base", () => {
  const replaced = Canary.afterSave(canary, version(3), 12)
  assert.deepInclude(replaced, { state: "replaced" })
  assert.deepInclude(replaced?.end, { at: 12, reason: "Version 3 was saved meanwhile" })
  assert.strictEqual(Canary.afterSave(canary, version(2), 12), canary)
  const next = Canary.start({ version: version(2), canary }, version(3), terms, actor)
  assert.strictEqual(Result.getOrThrow(next).base.versionNumber, 1)
  assert.isFalse(Canary.isRollback(canary, replaced))
  assert.isTrue(Canary.isRollback(canary, { ...canary, state: "stopped" }))
})
