/**
 * Runs a workflow again against a replay record: in a browser without a network, without stores, and with stand-ins for
 * secrets. Nothing is written, sent or delivered.
 */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import * as Agent from "../../agent/Agent.ts"
import * as Model from "../../agent/model/Model.ts"
import * as ModelAdvice from "../../agent/model/ModelAdvisor.ts"
import type { Observer } from "../../agent/Observer.ts"
import type { Person } from "../../agent/Person.ts"
import { Advisor } from "../../agent/recovery/Advisor.ts"
import * as ElementMemory from "../../agent/recovery/ElementMemory.ts"
import * as RecoverySettings from "../../agent/recovery/RecoverySettings.ts"
import { ClockOffset } from "../../agent/variables/Expressions.ts"
import { Browser } from "../../browser/Browser.ts"
import { redactUrl } from "../../browser/Exchange.ts"
import { Secrets } from "../../redaction/Secrets.ts"
import type { Account } from "../../vault/Account.ts"
import type { LoginCodes } from "../../vault/otp/LoginCodes.ts"
import { Fields, type VaultEntry } from "../../vault/VaultEntry.ts"
import * as Legacy from "../../workflow/Legacy.ts"
import * as GraphCheck from "../../workflow/language/graph/GraphCheck.ts"
import * as Settings from "../../workflow/Settings.ts"
import type { Problem } from "../../workflow/Workflow.ts"
import { UserId, WorkspaceId } from "../../workspace/Ids.ts"
import { ReplayAnswers, standIns } from "./ReplayAnswers.ts"
import { ReplayBrowser } from "./ReplayBrowser.ts"
import type { Ending, ReplayRecord, VisitedStep } from "./ReplayRecord.ts"
import { endingOf } from "./ReplayRecorder.ts"
import * as ReplayText from "./ReplayText.ts"

/** A request without a recorded answer, and why none fits. */
export interface Unanswered {
  readonly method: string
  readonly url: string
  readonly reason: string
  /** How often it was asked for. */
  readonly count: number
}

/** What came of a replay. */
export interface Replayed {
  readonly ending: Ending
  readonly steps: ReadonlyArray<VisitedStep>
  readonly unanswered: ReadonlyArray<Unanswered>
  readonly tookMillis: number
}

/** The part of a workflow that a replay executes. */
export type ReplayedContent = ReplayRecord["content"]

/** Raised for a workflow whose graph is not valid. */
export class NotReplayable extends Schema.TaggedError<NotReplayable>()("NotReplayable", {
  problems: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {
  override get message() {
    return this.problems.map(({ message, path }: Problem) => `${path}: ${message}`).join("; ")
  }
}

/** Replays a record with its own workflow, or with another one. */
export const replay = Effect.fn("ReplayRun.replay")(function* (
  record: ReplayRecord,
  content: ReplayedContent = record.content
) {
  const graph = yield* Effect.fromResult(GraphCheck.read(content.nodes, content.edges)).pipe(
    Effect.mapError((problems) => new NotReplayable({ problems }))
  )
  const browsers = yield* ReplayBrowser
  const began = yield* Clock.currentTimeMillis
  const settings = Settings.stored(content.settings)
  const answers = new ReplayAnswers(record.answers)
  const unanswered = new Map<string, Unanswered>()
  const miss = (method: string, url: string, reason: string): void => {
    const key = `${method} ${url}`
    unanswered.set(key, { method, url, reason, count: (unanswered.get(key)?.count ?? 0) + 1 })
  }
  const browser = browsers.on({
    at: record.startedAt,
    answer: (asked) => {
      const found = answers.next(asked)
      if (found._tag === "Unanswered") miss(asked.method, redactUrl(asked.url), found.reason)
      return found
    },
    refused: (authority) => miss("CONNECT", authority, "connections such as those of web sockets are not recorded")
  })
  const steps: Array<VisitedStep> = []
  const secrets = new Secrets()
  const consult = consulting(record)
  const { memories } = yield* ElementMemory.of(Effect.succeed(record.remembered))
  const outcome = yield* Agent.run(
    {
      graph,
      inputs: { ...Legacy.defaultInputs(content.nodes), ...record.input },
      outputSchema: content.output_schema,
      dryRun: record.dryRun,
      correctable: settings.enable_incorrect_form_input_recovery ?? false,
      strict: settings.strict ?? false,
      manualCaptcha: settings.manual_captcha_solve ?? false,
      recovery: { settings: RecoverySettings.of(settings), memories },
      ...(record.plainForms === null ? {} : { plainForms: record.plainForms }),
      session: {
        ...record.session,
        cookies: record.session.cookies.map((cookie) => ({
          ...cookie,
          expires: cookie.expires !== null && cookie.expires * 1_000 > record.startedAt ? null : cookie.expires
        })),
        headers: [],
        proxy: null,
        allowedSites: settings.allowed_sites ?? []
      },
      accounts: new Map(record.credentials.map((credential) => [credential.alias, accountOf(credential)])),
      codes,
      secrets
    },
    {
      step: ({ action, id, name }) => Effect.sync(() => void steps.push({ id, name, action })),
      picture: () => Effect.void,
      before: () => Effect.void,
      person: consult.person
    } satisfies Observer<never>
  ).pipe(
    Effect.provideService(Browser, browser),
    Effect.provideService(Model.Model, consult.model),
    Effect.provideService(Advisor, ModelAdvice.make(secrets)),
    Effect.provideService(ClockOffset, record.startedAt - began)
  )
  return {
    ending: endingOf(outcome),
    steps,
    unanswered: [...unanswered.values()],
    tookMillis: (yield* Clock.currentTimeMillis) - began
  } satisfies Replayed
})

/** The answers of models and persons, each to the question that it answered before, in their order. */
const consulting = ({ consulted, models }: ReplayRecord) => {
  const left = [...consulted]
  const next = (by: "model" | "person", about: string) => {
    const at = left.findIndex((one) => one.by === by && one.about === about)
    return at < 0 ? null : (left.splice(at, 1)[0]?.answer ?? null)
  }
  // They were answers of the same form when they were recorded.
  const person: Person = {
    ask: ({ node }) => Effect.sync(() => next("person", node.id) as Effect.Success<ReturnType<Person["ask"]>>),
    correct: ({ node }) => Effect.sync(() => next("person", node.id) as Effect.Success<ReturnType<Person["correct"]>>)
  }
  const model: Model.Service = {
    names: models,
    answer: ({ instructions }) =>
      Effect.suspend(() => {
        const answer = next("model", ReplayText.question(instructions))
        return answer === null
          ? Effect.fail(
              new Model.ModelFailure({ kind: "refused", reason: "no recorded answer of a model fits this question" })
            )
          : Effect.succeed(answer as unknown as Model.Answer)
      })
  }
  return { person, model: models.length === 0 ? null : model }
}

const noFields = Schema.decodeUnknownSync(Fields)

/** A credential with the site of the recorded one, and with stand-ins for its secrets. */
const accountOf = ({ alias, allowedOrigins, domain, tfaMethod }: ReplayRecord["credentials"][number]): Account => {
  const entry: VaultEntry = {
    id: nobody,
    workspaceId: WorkspaceId.make(nobody),
    permissionedUserId: alias,
    domain,
    createdBy: UserId.make(nobody),
    createdAt: 0,
    updatedAt: 0,
    fields: noFields({ ...empty, tfa_method: tfaMethod, allowed_origins: allowedOrigins }),
    sessionDataSetAt: null,
    lastUsedAt: null,
    hotpCounter: null
  }
  return {
    alias,
    entry,
    secrets: Effect.succeed({
      userName: Redacted.make(standIns.userName),
      password: Redacted.make(standIns.password),
      tfaSecret: Redacted.make("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    })
  }
}

const nobody = "00000000-0000-0000-0000-000000000000"

/** The fields of a credential of which none is set. */
const empty = {
  ...Object.fromEntries(
    Object.keys(Fields.fields).map((name) => [
      name,
      /^(persist|skip|allow_multiple|prevent)_/.test(name) ? false : null
    ])
  )
}

/** Codes and links that were never sent. */
const codes: LoginCodes["Service"] = {
  generated: () => Effect.succeed(Option.some(Redacted.make(standIns.code))),
  passkey: () => Effect.succeed(null),
  keepPasskey: () => Effect.void,
  addressOf: () => Effect.succeed(standIns.userName),
  received: () => Effect.succeed(Option.some([Redacted.make(standIns.code)]))
}
