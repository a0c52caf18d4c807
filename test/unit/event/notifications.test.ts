import { assert, describe, it } from "@effect/vitest"
import * as NoticeJson from "../../../core/event/notification/NoticeJson.ts"
import * as Notifications from "../../../core/event/notification/Notifications.ts"
import type { RunEvent } from "../../../core/event/RunEvent.ts"
import * as RunFailure from "../../../core/event/RunFailure.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"

const workspaceId = WorkspaceId.make("11111111-1111-4111-8111-111111111111")
const ids = { runId: "run-1", workflowId: "workflow-1" }

const started: RunEvent = { event: "execution.start", ...ids }
const queued: RunEvent = { event: "execution.queued", ...ids }
const failed: RunEvent = {
  event: "execution.failed",
  ...ids,
  data: {},
  inputs: {},
  credentials: [],
  errors: ["The button is gone", "Later"].map((message) => ({
    ...RunFailure.of({ code: null, message }),
    id: message,
    at: 0
  })),
  files: []
}

const log: Notifications.Channel = { type: "log" }
const slack: Notifications.Channel = { type: "slack_webhook", url: "https://hooks.example/T0" }
const http: Notifications.Channel = { type: "http", url: "https://hooks.example/T0" }

const subscription = (overrides: Partial<Notifications.RunSubscription> = {}): Notifications.RunSubscription => ({
  id: "s",
  workflowId: null,
  events: ["run.started", "run.failed"],
  channel: log,
  createdBy: "u",
  createdAt: 0,
  ...overrides
})

const decide = (
  subscriptions: ReadonlyArray<Notifications.RunSubscription>,
  event: RunEvent,
  notifications: Parameters<typeof Notifications.notices>[1]["notifications"] = null
) => Notifications.notices(subscriptions, { workspaceId, at: 1_500, event, notifications })

describe("an event brings", () => {
  it("a notice for its subscribers only", () => {
    const others = [
      subscription({ workflowId: "workflow-2", channel: slack }),
      subscription({ events: ["run.succeeded"], channel: http })
    ]
    assert.deepStrictEqual(decide([subscription({ workflowId: "workflow-1" }), ...others], started), [
      {
        workspaceId,
        channel: log,
        kind: "run.started",
        sessionId: "run-1",
        workflowId: "workflow-1",
        at: 1_500,
        text: "Run run-1 of workflow workflow-1 started"
      }
    ])
    assert.deepStrictEqual(decide(others, started), [])
    assert.deepStrictEqual(decide([subscription()], queued), [])
  })

  it("one notice to each channel, however many subscriptions lead there", () => {
    const all = [
      subscription(),
      subscription({ workflowId: "workflow-1" }),
      subscription({ channel: slack }),
      subscription({ channel: http }),
      subscription({ channel: { ...slack } })
    ]
    assert.deepStrictEqual(
      decide(all, failed).map(({ channel }) => channel.type),
      ["log", "slack_webhook", "http"]
    )
  })

  it("the first error of a run that failed", () => {
    assert.deepStrictEqual(
      decide([subscription()], failed).map(({ kind, text }) => [kind, text]),
      [["run.failed", "Run run-1 of workflow workflow-1 failed: The button is gone"]]
    )
  })

  it("nothing where the run was submitted without notifications", () => {
    assert.deepStrictEqual(decide([subscription()], failed, { enabled: false }), [])
    for (const given of [null, {}, { enabled: true }, { enabled: "false" }, "enabled", []]) {
      assert.lengthOf(decide([subscription()], failed, given), 1)
    }
  })
})

it("a notice is sent to Slack as a text, and elsewhere with its facts", () => {
  const [notice] = decide([subscription({ channel: slack })], started)
  assert.isDefined(notice)
  const bytes = (channel: Notifications.Channel) => JSON.stringify(NoticeJson.bodyOf({ ...notice, channel }))
  assert.strictEqual(bytes(slack), '{"text":"Run run-1 of workflow workflow-1 started"}')
  assert.strictEqual(
    bytes(http),
    '{"event":"run.started","timestamp":1,"session_id":"run-1","workflow_id":"workflow-1",' +
      '"message":"Run run-1 of workflow workflow-1 started"}'
  )
})
