import { assert, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EventJson from "../../../core/event/EventJson.ts"
import * as EventMessage from "../../../core/event/EventMessage.ts"
import { RunEvent } from "../../../core/event/RunEvent.ts"
import * as RunFailure from "../../../core/event/RunFailure.ts"

const links: EventJson.Links = {
  artifact: (id) => ({ url: `https://x/a/${id}`, expires: "2026-01-02T00:00:00.000Z" }),
  liveView: (id) => `https://x/live/${id}`
}

const ids = { runId: "r", workflowId: "w" }
const at = 1_767_225_600_000
const file = { id: "f", name: "a.pdf", at, metadata: { k: 1 } }

const whole: RunFailure.RunFailure = {
  id: "e1",
  message: "m",
  at,
  code: "C",
  address: "https://a",
  node: { id: "n", name: "Click", action: "click" },
  category: "cat",
  subType: "sub",
  description: "d",
  original: "o",
  suggestedErrorCode: "S",
  model: { name: "gpt", prompt: "p" }
}

const ended = {
  ...ids,
  data: { a: 1 },
  inputs: { u: "me" },
  credentials: [{ alias: "u", permissionedUserIds: ["me"], chosen: "me", domain: "d.example" }],
  errors: [whole, { ...RunFailure.of({ code: "X", message: "m2" }), id: "e2", at }],
  files: [file]
}

const question = {
  ...ids,
  step: "S",
  missingProperties: ["code"],
  schema: { type: "object" },
  message: "M"
}

const analysis = {
  ...ids,
  errorId: "e",
  node: { id: "n", name: "A" },
  analysis: "ai",
  rootCause: "root",
  category: "c",
  subType: "st",
  recovery: "popup",
  remedy: "ra",
  outcome: "success" as const
}

/** Every kind of event, with its fields present and absent, in the order of the snapshot. */
const events: ReadonlyArray<RunEvent> = [
  { event: "execution.queued", ...ids },
  { event: "execution.paused", ...ids, reason: "manual", message: "m", nextOpenAt: at },
  { event: "execution.paused", ...ids, reason: "run_window", message: "m", nextOpenAt: null },
  { event: "execution.released", ...ids, by: "u", pastPause: true },
  {
    event: "workflow.paused",
    ...ids,
    reason: "run_window",
    message: "m",
    nextOpenAt: at,
    heldRuns: 10_000,
    atLeast: true
  },
  { event: "workflow.canary", ...ids, state: "stopped", reason: "r", version: 4, base: 3, restored: 5 },
  { event: "workflow.canary", ...ids, state: "promoted", reason: "r", version: 4, base: 3, restored: null },
  { event: "execution.start", ...ids },
  { event: "execution.step", ...ids, step: "A", next: "B" },
  { event: "execution.step", ...ids, step: "A", next: null },
  { event: "execution.step_skipped", ...ids, step: "A", nodeId: "n" },
  {
    event: "execution.step",
    ...ids,
    step: "A",
    next: null,
    loops: [
      { node: { id: "l", name: "Rows" }, index: 0, count: 2, item: { number: "INV-1" } },
      { node: { id: "m", name: "Lines" }, index: 1, count: 3, item: "x" }
    ]
  },
  { event: "execution.requeued", ...ids, retries: 1, maxRetries: 2, notBefore: at, delayMillis: 5_000 },
  {
    event: "screenshot.uploaded",
    ...ids,
    screenshotId: "p",
    node: { id: "n", name: "N" },
    at,
    ofError: true,
    fullPage: false,
    retries: 1,
    metadata: { purpose: "question" }
  },
  { event: "video.uploaded", ...ids, videoId: "v", at },
  { event: "control.taken", ...ids, userId: "u", at },
  { event: "control.returned", ...ids, userId: "u", at, reason: "timeout" },
  { event: "file.uploaded", ...ids, file },
  { event: "interaction.waiting", ...question, expiresAt: at + 300_500 },
  { event: "interaction.finished", ...question, missingProperties: [] },
  { event: "interaction.failed", ...ids, step: "S", message: "M", reason: "timeout" },
  {
    event: "execution.input_required",
    ...ids,
    step: "S",
    message: "M",
    inputs: { a: 1 },
    screenshotId: "p",
    reason: "input_required",
    expiresAt: at + 300_500
  },
  {
    event: "execution.input_required",
    ...ids,
    step: "S",
    message: "M",
    inputs: {},
    screenshotId: null,
    reason: "non_dismissible_popup",
    popup: {
      description: "d",
      subType: "s",
      address: "https://a",
      actions: [{ id: "1", label: "OK" }],
      attempt: 1,
      maxAttempts: 3
    }
  },
  { event: "agent.error_analysis", ...analysis },
  {
    event: "agent.error_analysis",
    ...analysis,
    analysis: null,
    subType: null,
    outcome: "failure",
    popup: {
      phase: "popup_dismiss_verified",
      signature: "sig",
      action: "1",
      label: "OK",
      responseMillis: 12,
      host: "h"
    }
  },
  { event: "execution.success", ...ended },
  { event: "execution.failed", ...ended, credentials: [], files: [] },
  { event: "execution.stopped", ...ended, causedBy: "r0" }
]

describe("the JSON of events", () => {
  it("keeps its bytes for every kind, with and without addresses", async () => {
    const lines = events.map((event) => {
      const sent = EventMessage.message({ sequence: 1, runId: "r", at, event }, links, { metadata: { m: 1 } })
      return `${JSON.stringify(sent)}\n${JSON.stringify(EventJson.payloadOf(event, null))}\n`
    })
    await expect(lines.join("\n")).toMatchFileSnapshot("./events.jsonl")
  })

  it("keeps its bytes for the test of a webhook", () => {
    assert.strictEqual(
      JSON.stringify(EventMessage.testMessage({ id: "h", workspaceId: "o" }, at + 999, 300)),
      '{"event":"webhook.test","timestamp":1767225600,"expires_at":1767225900,' +
        '"payload":{"webhook_id":"h","workspace_id":"o"}}'
    )
  })

  it("is made from events that a store reads back as they were written", () => {
    for (const event of events) {
      assert.deepStrictEqual(Schema.decodeUnknownSync(RunEvent)(JSON.parse(JSON.stringify(event))), event)
    }
  })
})
