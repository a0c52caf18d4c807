import { assert, it } from "@effect/vitest"
import * as RunFilter from "../../../apps/api/run/RunFilter.ts"

const day = 86_400_000
const now = Date.UTC(2026, 0, 31, 12)
const id = "00000000-0000-4000-8000-00000000000a"
const other = "00000000-0000-4000-8000-00000000000b"

it("a filter reads every parameter, repeated, with brackets or separated by commas", () => {
  const sent = {
    workflow_ids: `${id}, ${other}`,
    "statuses[]": ["execution.paused", "execution.failed"],
    hold: "run_window,manual",
    error_code: "A,B",
    error_codes: "C,D",
    error_category: "XPATH_INCORRECT, PAGE_NOT_FOUND",
    "error_sub_type[]": ["HTTP_ERROR"],
    credential_id: "u,1",
    tag: ["a,b", "c"],
    reference: "order 7, part 2",
    trigger: "schedule",
    text: "Ann",
    start_time: "2026-01-30T00:00:00Z",
    end_time: "2026-01-31T00:00:00Z"
  }
  const expected = {
    workflowIds: [id, other],
    statuses: ["execution.paused", "execution.failed"],
    holds: ["run_window", "manual"],
    errorCodes: ["A,B", "C", "D"],
    errorCategories: ["XPATH_INCORRECT", "PAGE_NOT_FOUND"],
    errorSubTypes: ["HTTP_ERROR"],
    credentials: ["u,1"],
    tags: ["a,b", "c"],
    references: ["order 7, part 2"],
    triggers: ["schedule"],
    text: "Ann",
    from: Date.UTC(2026, 0, 30),
    to: Date.UTC(2026, 0, 31)
  }
  assert.deepStrictEqual<unknown>(RunFilter.readFilter(sent, now), expected)
  assert.deepStrictEqual<unknown>(RunFilter.read({ ...sent, limit: "5" }, now), { ...expected, limit: 5 })
})

it("a filter without a start has the last 24 hours, and waiting runs of any age", () => {
  assert.deepStrictEqual<unknown>(RunFilter.readFilter({}, now), { from: now - day, waitingOfAnyAge: true })
  assert.deepStrictEqual<unknown>(RunFilter.readFilter({ reference: "a" }, now), { references: ["a"] })
  const older = { start_timestamp: "2026-01-31T00:00:00Z" }
  assert.deepStrictEqual<unknown>(RunFilter.readFilter(older, now), { from: Date.UTC(2026, 0, 31) })
})

it("a filter names each parameter that is wrong", () => {
  const found = RunFilter.read(
    {
      hold: "nope",
      trigger: "cron",
      "tags[]": "",
      error_codes: "A,,B",
      error_category: "SELECTOR_NO_MATCH",
      error_sub_type: "XPATH_INCORRECT",
      text: "x".repeat(1_001),
      start_time: "2026-01-30T00:00:00Z",
      start_timestamp: "2026-01-30T00:00:00Z",
      limit: "0"
    },
    now
  )
  const paths = "problems" in found ? found.problems.map(({ path }) => path) : []
  assert.sameMembers(paths, [
    "hold",
    "trigger",
    "tags[]",
    "error_codes",
    "error_category",
    "error_sub_type",
    "text",
    "start_timestamp",
    "limit"
  ])
})

it("the filter of a body takes the same names, and refuses others at their paths", () => {
  const sent = { hold: ["manual"], tags: "a", start_time: "2026-01-31T00:00:00Z" }
  assert.deepStrictEqual<unknown>(RunFilter.readFilterOfBody(sent, now), RunFilter.readFilter(sent, now))
  for (const [wrong, path] of [
    [{ tagz: "a" }, "filter.tagz"],
    [{ tags: 1 }, "filter.tags"],
    [{ hold: "nope" }, "filter.hold"],
    [[], "filter"],
    [null, "filter"]
  ] as const) {
    const found = RunFilter.readFilterOfBody(wrong, now)
    assert.deepStrictEqual("problems" in found ? found.problems.map((one) => one.path) : [], [path])
  }
})
