/**
 * Records what the pages of an attempt receive, for workflows that set `record`.
 *
 * Like other evidence it never affects the run: what cannot be recorded is missing, and the record says so.
 */
import { Clock, Effect, Option, type Schema } from "effect"
import type * as Model from "../../agent/model/Model.ts"
import type { Observer } from "../../agent/Observer.ts"
import type { Outcome } from "../../agent/Outcome.ts"
import type { ElementRecord, Memories } from "../../agent/recovery/ElementMemory.ts"
import type { Browser, BrowserSession } from "../../browser/Browser.ts"
import type { Exchange } from "../../browser/Exchange.ts"
import type { Download } from "../../browser/file/DownloadPorts.ts"
import type { ApiAnswer, ApiRequest } from "../../browser/Requests.ts"
import * as Session from "../../browser/Session.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { ArtifactWriter } from "../../run/artifact/RunArtifacts.ts"
import { EvidenceStore, replayRecordPlace } from "../../run/evidence/EvidenceStore.ts"
import type { ClaimedRun } from "../../run/RunStore.ts"
import type { Account } from "../../vault/Account.ts"
import type { PlainForm } from "../../workflow/patch/PlainForm.ts"
import { bestEffort } from "../BestEffort.ts"
import * as ReplayRecord from "./ReplayRecord.ts"
import * as ReplayText from "./ReplayText.ts"

export interface ReplayRecorder {
  /** The browser, whose sessions are recorded. */
  readonly browser: Browser["Service"]
  /** The model, whose answers are recorded; `null` for none. */
  readonly model: Model.Service | null
  /** What is remembered of elements, and is recorded where it is asked for. */
  readonly memories: (memories: Memories) => Memories
  /** An observer that notes the steps, and what a person answered. */
  readonly observes: <E>(observer: Observer<E>) => Observer<E>
  /** Stores the record. Called after the session has closed. */
  readonly keep: (outcome: Outcome, writer: ArtifactWriter) => Effect.Effect<void>
}

/** An answer as it was received. */
interface Heard extends Pick<Exchange, "method" | "url" | "startedAt" | "status" | "failure"> {
  readonly by: "page" | "step"
  readonly sent: string | null
  readonly headers: Readonly<Record<string, string>>
  bytes: Uint8Array | null
  isCut: boolean
}

/** What an attempt has besides its workflow and its input. */
interface Recorded {
  readonly browser: Browser["Service"]
  readonly model: Model.Service | null
  readonly plainForms: ReadonlyArray<PlainForm> | undefined
}

/** What records nothing. */
const notRecording = (browser: Browser["Service"], model: Model.Service | null): ReplayRecorder => ({
  browser,
  model,
  memories: (memories) => memories,
  observes: (observer) => observer,
  keep: () => Effect.void
})

/** Makes the function that records an attempt, where its workflow sets `record`. */
export const make = Effect.map(EvidenceStore, (store) =>
  Effect.fnUntraced(function* (
    claimed: ClaimedRun,
    accounts: ReadonlyMap<string, Account>,
    input: Schema.JsonObject,
    secrets: Secrets,
    { browser, model, plainForms }: Recorded
  ): Effect.fn.Return<ReplayRecorder> {
    if (claimed.version.content.settings.record !== true) return notRecording(browser, model)
    const bounds = yield* ReplayRecord.ReplayBounds
    const heard: Array<Heard> = []
    const steps: Array<ReplayRecord.VisitedStep> = []
    const consulted: Array<ReplayRecord.Consulted> = []
    /** By the id of the node: what was known of it first, as later in the run it is what the run itself has seen. */
    const remembered = new Map<string, ElementRecord | null>()
    let [left, leftOut, startedAt, endedAt] = [bounds.bytes, 0, 0, 0]
    let began: Session.Session = Session.empty

    const hear = (one: Heard): void => {
      const size = sizeOf(one)
      if (heard.length >= bounds.answers || size > left) return void leftOut++
      left -= size
      if (one.bytes !== null) {
        // In base64 it is a third longer.
        const stored = Math.ceil((one.bytes.length * 4) / 3)
        if (stored > left) [one.bytes, one.isCut] = [null, true]
        else left -= stored
      }
      heard.push(one)
    }

    const recorded = (session: BrowserSession): BrowserSession => {
      const { navigation } = session
      const request = (asked: ApiRequest) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          Effect.tap(navigation.request(asked), (answer) => Effect.sync(() => hear(ofStep(asked, answer, at))))
        )
      const download = (waitMillis: number) =>
        Effect.tap(navigation.download(waitMillis), ({ files }) => Effect.forEach(files, take, { discard: true }))
      return { ...session, navigation: { ...navigation, request, download } }
    }

    /** The browser does not give away the body of an answer that it saved as a file, and tells of some not at all. */
    const take = Effect.fnUntraced(function* ({ bytes, fileName, mediaType, url }: Download) {
      if (url === undefined || !/^https?:/i.test(url)) return
      const read = yield* Effect.orElseSucceed(bytes, () => null)
      const known = heard.findIndex((one) => one.url === url && one.bytes === null && one.status === 200)
      const [one] = known < 0 ? [] : heard.splice(known, 1)
      hear({ ...(one ?? ofFile(url, fileName, mediaType, yield* Clock.currentTimeMillis)), bytes: read })
    })

    const open: Browser["Service"]["open"] = Effect.fnUntraced(function* (session) {
      began = session
      startedAt = yield* Clock.currentTimeMillis
      const opened = yield* browser.open(session)
      yield* Effect.addFinalizer(() =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          endedAt = now
        })
      )
      yield* opened.observation.watchNetwork((exchange) => hear(ofPage(exchange)), {
        bytes: true,
        largestBody: bounds.bytes
      })
      return recorded(opened)
    })

    const record = Effect.fnUntraced(function* (outcome: Outcome): Effect.fn.Return<ReplayRecord.ReplayRecord> {
      const { run, version } = claimed
      const { edges, nodes, output_schema, settings } = version.content
      const dryRun = run.options.dryRun
      const answers: Array<ReplayRecord.Answer> = []
      for (const one of heard.toSorted((a, b) => a.startedAt - b.startedAt)) answers.push(yield* answerOf(one, secrets))
      const cookies = yield* Effect.forEach(began.cookies, (cookie) =>
        Effect.map(secrets.hideIn(cookie.value), (value) => withoutToken({ ...cookie, value }))
      )
      return {
        format: ReplayRecord.format,
        runId: run.id,
        workflowId: run.workflowId,
        versionId: run.versionId,
        startedAt,
        tookMillis: Math.max(endedAt - startedAt, 0),
        input: yield* secrets.hideInData(input),
        dryRun: dryRun?.enabled === true ? { addToOutput: dryRun.addToOutput ?? {} } : null,
        content: { nodes, edges, output_schema, settings: { ...settings } },
        session: {
          cookies,
          localStorage: withoutTokens(yield* secrets.hideIn(began.localStorage)),
          sessionStorage: withoutTokens(yield* secrets.hideIn(began.sessionStorage)),
          userAgent: began.userAgent,
          place: began.place,
          allowedSites: began.allowedSites
        },
        credentials: [...accounts.values()].map(({ alias, entry: { domain, fields } }) => ({
          alias,
          domain,
          allowedOrigins: fields.allowed_origins ?? [],
          tfaMethod: fields.tfa_method
        })),
        steps,
        consulted: yield* Effect.forEach(consulted, ({ about, answer, by }) =>
          Effect.map(secrets.hideIn(answer), (answer) => ({ about, answer, by }))
        ),
        remembered: [...remembered.values()].filter((one) => one !== null),
        plainForms: plainForms ?? null,
        models: model?.names ?? [],
        ending: endingOf(outcome),
        answers,
        leftOut
      }
    })

    const consult = (by: ReplayRecord.Consulted["by"], about: string, answer: unknown): void => {
      const size = about.length + JSON.stringify(answer).length
      if (size > left) return void leftOut++
      left -= size
      // An answer is JSON, which its type does not say.
      consulted.push({ by, about, answer: answer as Schema.Json })
    }

    return {
      browser: { open },
      model:
        model === null
          ? null
          : {
              ...model,
              answer: (question) =>
                Effect.tap(model.answer(question), (answer) =>
                  Effect.sync(() => consult("model", ReplayText.question(question.instructions), answer))
                )
            },
      memories: (memories) => ({
        ...memories,
        known: (node) =>
          Effect.tap(memories.known(node), (one) =>
            Effect.sync(() => {
              if (!remembered.has(node.id)) remembered.set(node.id, one)
            })
          )
      }),
      observes: (observer) => ({
        ...observer,
        step: (node, ...more) => {
          steps.push({ id: node.id, name: node.name, action: node.action })
          return observer.step(node, ...more)
        },
        person: {
          ask: (question) =>
            Effect.tap(observer.person.ask(question), (answer) =>
              Effect.sync(() => consult("person", question.node.id, answer))
            ),
          correct: (mistake) =>
            Effect.tap(observer.person.correct(mistake), (answer) =>
              Effect.sync(() => consult("person", mistake.node.id, answer))
            )
        }
      }),
      keep: (outcome, writer) =>
        Effect.gen(function* () {
          const bytes = new TextEncoder().encode(ReplayRecord.encode(yield* record(outcome)))
          const artifact = { bytes, mediaType: "application/json", fileName: null }
          // What the run may not keep is counted in its record.
          const kept = yield* Effect.option(writer.write("snapshot", artifact))
          if (Option.isNone(kept)) return
          const artifactId = kept.value
          const at = yield* Clock.currentTimeMillis
          yield* store.keepSnapshot({ runId: claimed.run.id, nodeId: replayRecordPlace, artifactId, at })
        }).pipe(bestEffort(secrets, "The replay record of a run could not be kept"))
    }
  })
)

/** How an attempt ended, for a comparison. */
export const endingOf = (outcome: Outcome): ReplayRecord.Ending => ({
  success: outcome._tag === "Success",
  output: outcome.data,
  failure:
    outcome._tag === "Success"
      ? null
      : { code: outcome.failure.code, message: outcome.failure.message, node: outcome.failure.node }
})

/** What an answer has besides its body, in bytes. */
const sizeOf = ({ headers, sent, url }: Heard): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, url.length) +
  (sent?.length ?? 0)

const ofPage = (exchange: Exchange): Heard => ({
  by: "page",
  method: exchange.method,
  url: exchange.url,
  startedAt: exchange.startedAt,
  status: exchange.status,
  failure: exchange.failure,
  sent: exchange.requestBody ?? null,
  headers: exchange.responseHeaders,
  bytes: exchange.bytes ?? null,
  isCut: false
})

const ofStep = ({ body, method, url }: ApiRequest, answer: ApiAnswer, startedAt: number): Heard => ({
  by: "step",
  method,
  url,
  startedAt,
  status: answer.status,
  failure: null,
  sent: body === null ? null : new TextDecoder().decode(body),
  headers: { ...answer.headers, "content-location": answer.url },
  bytes: answer.body,
  isCut: false
})

const ofFile = (url: string, fileName: string, mediaType: string, startedAt: number): Heard => ({
  by: "page",
  method: "GET",
  url,
  startedAt,
  status: 200,
  failure: null,
  sent: null,
  headers: {
    "content-type": mediaType,
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`
  },
  bytes: null,
  isCut: false
})

const hasNoBody = (status: number): boolean => status < 200 || status === 204 || (status >= 300 && status < 400)

/** Why the answer cannot be repeated as it was received. */
const missingOf = ({ bytes, failure, isCut, status }: Heard): string | null => {
  if (status === null) return failure === null ? "it had no end" : null
  if (isCut) return "it is beyond the size of a record"
  return bytes === null && !hasNoBody(status) ? "its body could not be read" : null
}

const scripts = /javascript|ecmascript|text\/css/i

const answerOf = Effect.fnUntraced(function* (one: Heard, secrets: Secrets): Effect.fn.Return<ReplayRecord.Answer> {
  const type = Object.entries(one.headers).find(([name]) => /^content-type$/i.test(name))?.[1] ?? ""
  const text = one.bytes === null ? null : textOf(one.bytes, type)
  const hidden = yield* secrets.hideIn({ url: one.url, sent: one.sent, headers: ReplayText.headers(one.headers) })
  // The name of a user may be a word of a program.
  const shown = text === null ? null : yield* scripts.test(type) ? secrets.hideInData(text) : secrets.hideIn(text)
  return {
    method: one.method,
    url: ReplayText.address(hidden.url),
    sent: hidden.sent === null ? null : ReplayText.sent(hidden.sent),
    by: one.by,
    status: one.status,
    headers: shown === null ? hidden.headers : inUtf8(hidden.headers),
    body:
      shown !== null
        ? { text: scripts.test(type) ? shown : ReplayText.body(shown) }
        : one.bytes === null
          ? null
          : { bytes: one.bytes },
    missing: missingOf(one)
  }
})

/** The text of a body; `null` for one that is not text in UTF-8. The browser gives text of every encoding in UTF-8. */
const textOf = (bytes: Uint8Array, type: string): string | null => {
  if (!/^(text\/|application\/([\w.+-]+\+)?(json|xml|javascript|x-www-form-urlencoded)|image\/svg)/i.test(type))
    return null
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const inUtf8 = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      /^content-type$/i.test(name) ? [name, `${value.replace(/;.*$/s, "")}; charset=utf-8`] : [name, value]
    )
  )

const withoutToken = (cookie: Session.Cookie): Session.Cookie => {
  const line = ReplayText.cookies(`${cookie.name}=${cookie.value}${cookie.httpOnly ? "; HttpOnly" : ""}`)
  return { ...cookie, value: line.slice(cookie.name.length + 1).replace(/; HttpOnly$/, "") }
}

const withoutTokens = (storage: Session.Storage): Session.Storage =>
  Object.fromEntries(
    Object.entries(storage).map(([origin, values]) => [
      origin,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ReplayText.stored(name, value)]))
    ])
  )
