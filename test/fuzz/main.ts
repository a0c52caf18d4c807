/**
 * `npm run fuzz`: attacks the service with requests, and the agent with pages, as many as are asked for.
 *
 * `--requests N --seed S [--from I] [--database] [--patience SECONDS]` sends requests drawn from the description;
 * `--replay WORD` sends one of them; `--structures N --seed S` saves windows, workflows and components and carries out expressions;
 * `--pages N --seed S [--from I]` opens pages. Exits with 1 when anything failed.
 */
import { parseArgs } from "node:util"
import { OpenApi } from "effect/http-api"
import { Api } from "../../apps/api/Api.ts"
import type { Document } from "../support/description.ts"
import { startServer } from "../support/ownServer.ts"
import { decode, show } from "./Case.ts"
import * as Expressions from "./Expressions.ts"
import * as Fuzz from "./Fuzz.ts"
import * as Pages from "./Pages.ts"
import * as Requests from "./Requests.ts"
import * as Saving from "./Saving.ts"
import * as Target from "./Target.ts"
import * as Wire from "./Wire.ts"

const { values } = parseArgs({
  options: {
    requests: { type: "string" },
    structures: { type: "string" },
    pages: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    from: { type: "string", default: "0" },
    replay: { type: "string" },
    /** How many seconds an answer is waited for: longer beside much other work. */
    patience: { type: "string", default: "5" },
    /** On a separate PostgreSQL server, in place of memory. */
    database: { type: "boolean", default: false }
  }
})

const whole = (name: string, text: string): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} expects a whole number, got "${text}"`)
}

const document = OpenApi.fromApi(Api) as unknown as Document
const seed = whole("seed", values.seed)
const say = (text: string) => void process.stdout.write(`${text}\n`)

const patience = Wire.patience(whole("patience", values.patience) * 1_000)

const attackWithPages = async (count: number) => {
  const { close, visit } = await Pages.openVisitor()
  const findings = await Pages.run({
    visit,
    seed,
    from: whole("from", values.from),
    count,
    onFinding: (finding) => say(Pages.describe(finding, seed))
  }).finally(close)
  say(`${count} pages of seed ${seed}: ${findings.length} findings`)
  return findings.length
}

const attackWithStructures = async (count: number, start: Fuzz.Options["start"]) => {
  const unsaved = await Saving.run({
    document,
    start,
    seed,
    count,
    onFinding: (finding) => say(Saving.describe(finding, seed))
  })
  const wrong = await Expressions.run({
    evaluate: Expressions.evaluate(),
    sources: (index) => Expressions.expressionAt(seed, index),
    count,
    onFinding: (finding) => say(Expressions.describe(finding, seed))
  })
  const found = unsaved.length + wrong.length
  say(`${count} structures and ${count} expressions of seed ${seed}: ${found} findings`)
  return found
}

const sendAgain = async (word: string, start: Fuzz.Options["start"]) => {
  const one = decode(word)
  const { fault, result } = await Fuzz.replay({ document, start, patience }, one)
  say(show(one))
  say(result._tag === "Answered" ? `${result.status} ${result.text.slice(0, 2_000)}` : JSON.stringify(result))
  say(fault === null ? "As described" : `${fault.signature}: ${fault.what}`)
  return fault === null ? 0 : 1
}

const attackWithRequests = async (requests: number, start: Fuzz.Options["start"]) => {
  const { at } = Requests.make(document, seed)
  const report = await Fuzz.run({
    document,
    start,
    cases: at,
    from: whole("from", values.from),
    requests,
    patience,
    hangAttempts: 12,
    onFinding: (finding) => say(Fuzz.describe(finding, seed))
  })
  const statuses = [...report.statuses].sort(([one], [other]) => one - other)
  say(`Statuses: ${statuses.map(([status, count]) => `${status}: ${count}`).join(", ")}`)
  say(`Never carried out: ${[...report.accepted].flatMap(([id, count]) => (count === 0 ? [id] : [])).join(", ")}`)
  say(`Slowest: ${report.slowest.map(({ index, millis }) => `${index} ${Math.round(millis)} ms`).join(", ")}`)
  const held = [...report.longestTurns].toSorted(([, one], [, other]) => other - one).slice(0, 5)
  say(`Longest turns, in fixed works: ${held.map(([name, turn]) => `${name} ${turn.toFixed(1)}`).join(", ")}`)
  for (const { count, fault } of report.findings) say(`${count} times ${fault.signature}`)
  say(`${requests} requests of seed ${seed}: ${report.findings.length} findings`)
  return report.findings.length
}

const server = values.database ? await startServer(["max_connections=50", "fsync=off"]) : null
const start = () => Target.start(server?.url ?? null)
try {
  const found =
    values.replay !== undefined
      ? await sendAgain(values.replay, start)
      : values.pages !== undefined
        ? await attackWithPages(whole("pages", values.pages))
        : values.structures !== undefined
          ? await attackWithStructures(whole("structures", values.structures), start)
          : await attackWithRequests(whole("requests", values.requests ?? "10000"), start)
  process.exitCode = found === 0 ? 0 : 1
} finally {
  await server?.stop()
}
