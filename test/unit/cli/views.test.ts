import { assert, describe, it } from "@effect/vitest"
import { Cause, Console, Effect, Redacted, Result, Stdio } from "effect"
import { CliError } from "effect/cli"
import * as Failure from "../../../apps/cli/Failure.ts"
import { verify } from "../../../apps/cli/handlers/user/workspace/Delivery.ts"
import * as CellTypes from "../../../apps/cli/user/CellTypes.ts"
import * as CsvRows from "../../../apps/cli/user/CsvRows.ts"
import * as Output from "../../../apps/cli/user/Output.ts"
import * as ExplainView from "../../../apps/cli/user/view/ExplainView.ts"
import * as ForecastView from "../../../apps/cli/user/view/ForecastView.ts"
import * as RunsView from "../../../apps/cli/user/view/RunsView.ts"
import * as VerbsView from "../../../apps/cli/user/view/VerbsView.ts"
import * as WeekView from "../../../apps/cli/user/view/WeekView.ts"
import * as WhyView from "../../../apps/cli/user/view/WhyView.ts"
import * as WindowView from "../../../apps/cli/user/view/WindowView.ts"
import * as WorkflowFile from "../../../apps/cli/user/WorkflowFile.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import * as GraphCheck from "../../../core/workflow/language/graph/GraphCheck.ts"
import { daily } from "../../support/fixtures.ts"

const rowsOf = (...pieces: ReadonlyArray<string>) => {
  const reader = CsvRows.reader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()].map(({ cells, line }) => [line, ...cells])
}

describe("the rows of a CSV file", () => {
  it.each([
    [
      ["a,b\nc,d"],
      [
        [1, "a", "b"],
        [2, "c", "d"]
      ]
    ],
    [
      ["\ufeffa\r\n\r\nb\r\n"],
      [
        [1, "a"],
        [3, "b"]
      ]
    ],
    [
      ['"a,""x""\n', 'y",b\nc'],
      [
        [1, 'a,"x"\ny', "b"],
        [3, "c"]
      ]
    ],
    [[",\n"], [[1, "", ""]]]
  ] as const)("of %j are these, whatever pieces they come in", (pieces, rows) => {
    assert.deepStrictEqual(rowsOf(...pieces), rows as never)
    assert.deepStrictEqual(rowsOf(...pieces.join("")), rows as never)
  })
})

describe("a long CSV file", () => {
  it("is read piece by piece, each row as soon as its end was read, whatever the pieces are", () => {
    const reader = CsvRows.reader()
    const length = 5_000
    const text = Array.from({ length }, (_, n) => `${n},"a ""quoted"", ${n}\r\nline"\r\n`).join("")
    let [rows, read, most] = [0, 0, 0]
    for (let size = 1; read < text.length; size = (size % 97) + 1) {
      const found = reader.push(text.slice(read, read + size))
      read += size
      most = Math.max(most, found.length)
      for (const { cells, line } of found) {
        assert.deepStrictEqual([line, ...cells], [2 * rows + 1, `${rows}`, `a "quoted", ${rows}\r\nline`])
        rows++
      }
    }
    assert.deepStrictEqual([rows, reader.end(), reader.open()], [length, [], null])
    assert.isAtMost(most, 5)
  })

  it("end where a quote is never closed or a row is too long, with the line and the cell", () => {
    const open = CsvRows.reader()
    open.push('a,b\n1,2\n3,"4\n5,6\n')
    assert.deepStrictEqual(open.open(), { line: 3, index: 1 })
    const long = CsvRows.reader()
    long.push('a,b\n1,"')
    const most = CsvRows.mostCharacters
    long.push("x".repeat(most - 5))
    const thrown = (text: string) => {
      try {
        return long.push(text)
      } catch (error) {
        return error
      }
    }
    assert.deepStrictEqual(thrown('y"\n'), [{ line: 2, cells: ["1", `${"x".repeat(most - 5)}y`] }])
    long.push(",,")
    assert.deepInclude(thrown("z".repeat(most)), { line: 3, index: 2 })
  })
})

describe("a cell", () => {
  it.each([
    ["7", { type: "integer" }, 7],
    ["1e3", { type: "number" }, 1_000],
    ["TRUE", { type: "boolean" }, true],
    ["07", {}, "07"],
    ["12", { type: ["string", "integer"] }, 12],
    ["[1]", { type: "array" }, [1]]
  ] as const)("%s is read by %j", (text, schema, value) => {
    assert.deepStrictEqual(CellTypes.read(text, schema), Result.succeed(value))
  })

  it.each([
    ["7.5", { type: "integer" }, "a whole number"],
    ["", { type: "number" }, "a number"],
    ["x", { enum: ["a", "b"] }, 'one of "a", "b"'],
    ["{", { type: "object" }, "a JSON object"]
  ] as const)("%s is refused by %j", (text, schema, expected) => {
    assert.deepStrictEqual(CellTypes.read(text, schema), Result.fail(expected))
  })
})

describe("a row of a batch", () => {
  const schema = {
    type: "object",
    properties: {
      month: { type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" },
      amount: { type: "number", minimum: 1 },
      lines: { type: "array", items: { type: "integer" } }
    },
    required: ["amount"]
  }
  const problemsOf = (head: ReadonlyArray<string>, ...rows: ReadonlyArray<ReadonlyArray<string>>) => {
    const columns = CellTypes.columns(head, schema)
    const inputs = rows.map((cells, at) => columns.input(at + 2, cells))
    return [...columns.problems, ...inputs.flatMap((one) => (Result.isFailure(one) ? one.failure : []))].map(
      CellTypes.sentence
    )
  }

  it("is judged by all that the workflow asks of its inputs, and each bad cell is named", () => {
    const head = ["month", "amount", "lines"]
    assert.deepStrictEqual(
      problemsOf(head, ["2026-09", "1", "[1]"], ["", "1", ""], ["October", "0", '[1, "a"]'], ["", "x", "["]),
      [
        'Row 4, column "month": must match pattern "^[0-9]{4}-[0-9]{2}$", got "October"',
        'Row 4, column "amount": must be >= 1, got "0"',
        'Row 4, column "lines": lines[1] must be integer, got "[1, \\"a\\"]"',
        'Row 5, column "amount": expected a number, got "x"',
        'Row 5, column "lines": expected a JSON list, got "["'
      ]
    )
  })

  it("is checked where the names of the columns are wrong, too", () => {
    assert.deepStrictEqual(problemsOf(["amout", "lines", "lines"], ["1", "["], ["1", "{}", "["], ["1", "[1]", "[1]"]), [
      'Row 1, column "lines": two columns have this name',
      'Row 1, column "amount": the workflow requires this input, and no column has its name',
      'Row 2, column "lines": expected 3 cells, got 2',
      'Row 3, column "lines": expected a JSON list, got "["'
    ])
  })
})

describe("the week of a run window", () => {
  it("marks the day that changes the clocks, and leaves out the hour that is skipped", () => {
    const { window } = Result.getOrThrow(RunWindow.validate({ ...daily(1, 4), time_zone: "Europe/Berlin" }))
    const week = WeekView.draw(window, Date.parse("2026-03-27T12:00:00Z"))
    assert.include(week, `Sun 2026-03-29  ··██  ██${"·".repeat(40)}  * clocks go forward 1 h`)
    assert.include(week, `Sat 2026-03-28  ··██████${"·".repeat(40)}\n`)
  })
})

describe("the preview of a run window", () => {
  const none = { warnings: [], openings: [], holds: 0, releases: 0, held_runs: [], released_runs: [], forecast: null }
  const state = { open: false, nextOpenAt: "2027-03-01T09:00:00.000Z" }
  const run = (n: number) => ({ session_id: `run-${n}`, created_at: "2027-03-01T08:00:00.000Z" })

  it("names the first runs that it would hold or release, and says that a lift would end", () => {
    const held = { ...none, state, at_least: false, holds: 22, held_runs: [run(1), run(2)], ends_lift: true }
    assert.deepStrictEqual(WindowView.preview(held, "UTC").split("\n").slice(1), [
      "It would release 0 waiting runs and hold 22 waiting runs",
      "  would hold run-1, submitted 2027-03-01 08:00Z",
      "  would hold run-2, submitted 2027-03-01 08:00Z",
      "  and 20 more",
      "It would end the lift, under which runs start although the window is closed"
    ])
    const released = { ...none, state, at_least: false, releases: 1, released_runs: [run(1)], ends_lift: false }
    assert.deepStrictEqual(WindowView.preview(released, "UTC").split("\n").slice(1), [
      "It would release 1 waiting run and hold 0 waiting runs",
      "  would release run-1, submitted 2027-03-01 08:00Z"
    ])
  })
})

describe("a command that is written wrongly", () => {
  it.each([
    [
      { option: "--hodl", command: ["sluice", "runs", "ls"], suggestions: ["--hold"] },
      "sluice runs ls has no flag --hodl: did you mean --hold?"
    ],
    [{ option: "--zz\u001b[2J", suggestions: [] }, "sluice has no flag --zz [2J"],
    [
      { subcommand: "lst", parent: ["sluice", "workflow"], suggestions: ["list", "diff"] },
      'sluice workflow has no command "lst": did you mean list or diff?'
    ]
  ] as const)("is told in a sentence: %j", (fields, sentence) => {
    const error = "option" in fields ? new CliError.UnrecognizedOption(fields) : new CliError.UnknownSubcommand(fields)
    const shown = new CliError.ShowHelp({ commandPath: ["sluice"], errors: [error] })
    const told = (json: boolean) => Failure.of(Cause.fail(shown), { isServing: false, json })
    const fix = "`sluice --help` shows all settings"
    assert.deepStrictEqual(told(false), { exitCode: 2, text: `${sentence}\n${fix}` })
    assert.deepStrictEqual(JSON.parse(told(true)?.text ?? ""), { error: { code: "wrong", message: sentence, fix } })
  })
})

describe("the progress of a command", () => {
  it.effect.each([
    [true, false, ["1 of 2"]],
    [true, true, []],
    [false, false, []]
  ] as const)("is written where a person watches: %j, with JSON: %j", ([stderrIsTerminal, json, wanted]) =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const captured = { ...globalThis.console, error: (line: string) => written.push(line) }
      yield* Output.progress({ json }, "1 of 2").pipe(
        Effect.provideService(Console.Console, captured as unknown as Console.Console),
        Effect.provide(Stdio.layerTest({ stderrIsTerminal: Effect.succeed(stderrIsTerminal) }))
      )
      assert.deepStrictEqual(written, [...wanted])
    })
  )
})

describe("the file of a workflow", () => {
  it("does not depend on the order of members, and differs only where the workflow does", () => {
    const one = { name: "W", id: "1", nodes: [{ name: "Open", id: "n", parameters: { url: "a", wait: 1 } }] }
    const other = { nodes: [{ parameters: { wait: 1, url: "b" }, id: "n", name: "Open" }], id: "1", name: "W" }
    const lines = WorkflowFile.difference(WorkflowFile.content(one), WorkflowFile.content(other)).split("\n")
    assert.deepStrictEqual(
      lines.filter((line) => /^[+-]/.test(line)).map((line) => line.replace(/ +/g, " ")),
      ['- "url": "a",', '+ "url": "b",']
    )
  })
})

describe("the answers of several requests", () => {
  it("are one sentence, with the runs that nothing was done to", () => {
    const result = { session_id: "r", outcome: "released", status: null, message: null }
    const first = { dry_run: false, next_cursor: "c", counts: { released: 1 }, results: [result] }
    const refused = { ...result, session_id: "s", outcome: "held_by_pause", message: "Paused\u001b[2J" }
    const next = { dry_run: false, next_cursor: null, counts: { held_by_pause: 1 }, results: [refused] }
    assert.strictEqual(
      VerbsView.text("release", VerbsView.merged(first, next)),
      "Released 1 of 2 runs (1 held by pause)\n  s  Paused [2J"
    )
  })
})

describe("a delivery of a webhook", () => {
  const body = '{"event":"execution.success","timestamp":1767225600,"expires_at":1767225900,"payload":{}}'
  const signature = "sha256=38e1f89abeb623dd43db0b51976ba150d54ee46635ccd5874517431608436a74"
  const verdict = (text: string, signature: string | undefined, now: number) =>
    verify(new TextEncoder().encode(text), signature, Redacted.make("whsec_example"), now)

  it("is believed with the signature of its bytes, and until it expires", () => {
    assert.include(Result.getOrThrow(verdict(body, signature, 1_767_225_600_000)), { event: "execution.success" })
  })

  it.each([
    [body.replace("{}", '{"a":1}'), signature, 0, "its signature was not made with this secret"],
    [body, "sha256=", 0, "its signature was not made with this secret"],
    [body, undefined, 0, "it has no X-HMAC-Signature"],
    [body, signature, 1_767_225_901_000, "it expired at 2026-01-01T00:05:00.000Z"]
  ] as const)("is refused: %s, %s, at %i", (text, signature, now, reason) => {
    assert.deepStrictEqual(verdict(text, signature, now), Result.fail(reason))
  })
})

describe("the explanation of a workflow", () => {
  it("names its inputs and credentials, and each step with where it leads", () => {
    const [start, check, press, end] = ["1", "2", "3", "4"].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
    const fields = {
      name: "Orders",
      input_schema: { type: "object", properties: { month: { type: "string" } }, required: ["month"] },
      vault_schema: { SHOP: { type: "credential", domain: "https://shop.example.com" } }
    }
    const condition = { execution: "STATIC", comparison_operator: "IS_NULL", comparison_value_1: "" }
    const graph = Result.getOrThrow(
      GraphCheck.read(
        [
          { id: start, name: "Open", action: "START", parameters: { url: "https://shop.example.com" } },
          { id: check, name: "Any?", action: "BOOL_CONDITION", parameters: condition },
          { id: press, name: "Press", action: "CLICK", parameters: { execution: "STATIC", selector: "//button" } },
          { id: end, name: "Done", action: "END", parameters: {} }
        ],
        { [`${start}`]: { to: check }, [`${check}`]: { true: press, false: end }, [`${press}`]: { to: end } }
      )
    )
    const lines = ExplainView.text(fields, graph, "").split("\n")
    assert.includeMembers(lines, [
      "  month: string, required",
      "  SHOP: for https://shop.example.com",
      "   1  Open  START  url=https://shop.example.com",
      "   3  Press  CLICK  selector=//button",
      "      if so, then 3"
    ])
  })
})

it("the list of runs has columns for priority, deadline and tags where a run has them", () => {
  const run = {
    session_id: "a",
    status: "execution.queued",
    created_at: "2027-03-01T09:00:00.000Z",
    workflow_id: "w",
    workflow_name: "Claims",
    workspace_id: "s",
    execution_start: null,
    execution_end: null,
    duration_ms: null,
    hold: null,
    holds: [],
    error: null,
    warning_count: 0,
    trigger: "api",
    tags: [],
    priority: 0,
    start_by: null,
    reference: null,
    dry_run: false
  } as const
  const listed = (...runs: ReadonlyArray<RunsView.Listed>) => RunsView.list({ runs, total: "1", next_cursor: null })
  assert.match(listed(run), /^RUN +STATUS +WORKFLOW +SUBMITTED +TOOK +HELD BY +ERROR\na +waiting/)
  const urgent = { ...run, session_id: "b", priority: 5, start_by: "2027-03-01T10:00:00.000Z" }
  assert.match(listed(run, urgent), /TOOK +PRIORITY +START BY +HELD BY[\s\S]*\nb .* 5 +2027-03-01 10:00Z/)
  assert.match(listed({ ...run, reference: "order 7" }), /TOOK +REFERENCE +HELD BY +ERROR\na .* order 7/)
  assert.match(listed({ ...run, tags: ["october", "b"] }), /TOOK +TAGS +HELD BY +ERROR\na .* october, b/)
})

it("a run is shown with its warnings after its errors, and their number where some are not kept", () => {
  const warning = (code: string) => ({
    code,
    message: "No \u001b[31mrows",
    node: { id: "n", name: "Read", action: "EXTRACT_DATAMODEL" },
    value: null
  })
  const run = {
    session_id: "a",
    status: "execution.success",
    created_at: "2027-03-01T09:00:00.000Z",
    execution_start: null,
    execution_end: null,
    can_start_at: null,
    start_by: null,
    holds: [],
    waits_for: [],
    tags: [],
    priority: 0,
    retry: null,
    retried_as: [],
    release: null,
    input_variables: {},
    data: null,
    errors: [],
    warnings: [warning("LIST-W0001"), warning("LIST-W0002")],
    warning_count: 2,
    events: []
  } as unknown as Parameters<typeof RunsView.record>[0]
  const shown = RunsView.record(run)
  assert.match(shown, /^Warning {4}LIST-W0001: No .*rows \(in "Read"\)$/m)
  assert.notInclude(shown, "\u001b")
  assert.notInclude(shown, "Warnings")
  assert.match(RunsView.record({ ...run, warning_count: 1_200 }), /^Warnings {3}1,200 in all$/m)
})

it("why a run waits names a busy credential and the sign-in of another run, without a start", () => {
  const run = {
    session_id: "a",
    workflow_id: "w",
    status: "execution.queued",
    created_at: "2027-03-01T09:00:00.000Z",
    holds: [],
    can_start_at: null
  }
  const wait = { until: null, credential: "SITE", ahead: null }
  const said = (reason: string, more: object = {}) =>
    WhyView.paragraph({
      run: {
        ...run,
        can_start_reason: reason,
        waits_for: [{ ...wait, ...more, reason }]
      } as unknown as RunsView.Record,
      workflowName: "Nightly",
      zone: null
    })
  assert.match(said("credential"), /input "SITE" is used by as many runs as it allows/)
  assert.match(said("login"), /Another run signs in, .* input "SITE"/)
  for (const reason of ["credential", "login"]) assert.notMatch(said(reason), /worker|at the earliest/)
  const late = { credential: null, until: "2027-03-01T09:05:00.000Z", ahead: 2 }
  assert.match(said("capacity", late), /number of workers it starts at about .*09:05.*, after 2 other runs of it\./)
  assert.match(said("capacity", { ...late, limit: "concurrency" }), /\(SLUICE_CONCURRENCY\) it starts at about/)
  const now = { credential: null, until: null, ahead: null }
  assert.match(
    said("capacity", { ...now, limit: "workspace_runs" }),
    /\(SLUICE_WORKSPACE_RUNS\): .* of the workspace ends/
  )
  assert.match(said("capacity", { ...now, limit: "concurrency" }), /in use \(SLUICE_CONCURRENCY\): .* a run ends/)
  assert.match(said("capacity", { ...now, limit: null }), /Nothing holds it/)
  const named = { ...now, limit_name: "portal.example" }
  assert.match(said("limit", named), /limit "portal\.example" allows it no start now: it starts when a run that draws/)
  assert.match(said("limit", { ...named, until: late.until }), /it may start at .*09:05/)
  assert.match(said("deadline", { ...late, ahead: null }), /ends without a start at .*09:05/)
})

it("a forecast says when the last waiting run starts, and how many do not before the closing", () => {
  const forecast = {
    waiting: 4_000,
    at_least: false,
    expiring: 0,
    first_expires_at: null,
    first_start_at: "2027-03-01T09:00:00.000Z",
    last_start_at: "2027-03-01T09:40:00.000Z",
    closes_at: "2027-03-01T17:00:00.000Z",
    unfit: 0,
    limited_by: null,
    workers: null,
    mean_duration_ms: 60_000
  }
  const said = ForecastView.sentence(forecast, "UTC")
  assert.match(
    said,
    /^the last of 4[ ,]?000 waiting runs starts at about Mon.* 09:40 \(how many workers there are is not known\)$/
  )
  assert.match(
    ForecastView.sentence({ ...forecast, unfit: 310 }, "UTC"),
    /; 310 will not fit before closing at Mon.* 17:00 \(/
  )
  const expiring = { ...forecast, expiring: 3, first_expires_at: "2027-03-01T08:00:00.000Z" }
  assert.match(
    ForecastView.sentence(expiring, "UTC"),
    /^the last of 3[ ,]?997 .* 09:40; 3 waiting runs cannot start by their deadline, the first of them ends at Mon.* 08:00 \(/
  )
  assert.match(ForecastView.sentence({ ...expiring, waiting: 1, expiring: 1 }, "UTC"), /^1 waiting run cannot start/)
  const limited = { ...forecast, limited_by: "workers", workers: { capacity: 10, running: 3 } } as const
  assert.match(
    ForecastView.sentence({ ...limited, last_start_at: null }, "UTC"),
    /is not in sight \(limited by the workers; 3 of 10 places of the workers are taken\)$/
  )
  const unknown = { ...limited, mean_duration_ms: null }
  assert.match(ForecastView.sentence(unknown, "UTC"), /taken; no run has succeeded yet, .*: it can be later\)$/)
  assert.notInclude(ForecastView.sentence({ ...unknown, last_start_at: null }, "UTC"), "later")
})

it("the runs that have not ended in time are named, the first five of many", () => {
  assert.strictEqual(RunsView.notEnded(["a"], 9), "Run a has not ended after 9 s")
  assert.strictEqual(RunsView.notEnded(["a", "b"], 9), "2 runs have not ended after 9 s: a, b")
  assert.match(RunsView.notEnded([..."abcdef"], 9), /^6 runs .*: a, b, c, d, e, …$/)
})

it("a status is selected by the word that lists show, or by its own name", () => {
  const named = ["held", "waiting again", "failed", "execution.failed", "helf"].map(RunsView.statusNamed)
  assert.deepStrictEqual(named, [
    "execution.paused",
    "execution.requeued",
    "execution.failed",
    "execution.failed",
    "helf"
  ])
})
