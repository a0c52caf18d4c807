import { Clock, Deferred, Effect, Option, Redacted, Result, type Schema } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import type { ElementQuery } from "../../browser/element/ElementQuery.ts"
import type { InspectedField } from "../../browser/element/InspectedField.ts"
import { isNavigation, type PageFailure } from "../../browser/PageFailure.ts"
import type { Account } from "../../vault/Account.ts"
import type { Channel, LoginCodes } from "../../vault/otp/LoginCodes.ts"
import * as Otp from "../../vault/otp/Otp.ts"
import * as SecretSites from "../../vault/site/SecretSites.ts"
import { effectiveTfaMethod, type VaultEntry } from "../../vault/VaultEntry.ts"
import * as SafePattern from "../../workflow/language/expression/SafePattern.ts"
import type { Parameters } from "../../workflow/language/graph/Action.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import * as CodeVerdict from "../login/CodeVerdict.ts"
import * as PasskeySignIn from "../login/PasskeySignIn.ts"
import * as Patterns from "../Patterns.ts"
import { type Action, next, type StepContext } from "../Step.ts"
import * as Credentials from "../variables/Credentials.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"

/** How long after its prompt a code or a link must arrive, from a message or a person. */
const longestMillis = 300_000

/** How long to wait for a message before a person is asked too. */
const graceMillis = 30_000

/** How long to wait for the next code of a secret provider: longer than the usual period of 30 seconds. */
const changeMillis = 35_000

/** How often a secret provider is asked while waiting. */
const askAgainMillis = 2_000

/** The pause between two keys: fields in several boxes move on to the next one after each. */
const keyMillis = 25

const lookEveryMillis = 100

/**
 * Signs in with a one-time code: types it, presses Enter, and tries once more with another one when the site refuses it.
 * A link that was sent instead is opened.
 */
export const tfa: Action<"TFA", "elements" | "navigation" | "vision"> = Effect.fnUntraced(function* (node, context) {
  const { parameters } = node
  const { memory, page } = context
  const account = memory.credentials.accounts.get(parameters.credential)
  if (account === undefined) {
    return yield* new StepFailed({
      code: "CREDENTIAL-E0001",
      sentence: `Cannot sign in with the credential ${parameters.credential}: none was given for it`,
      original: null
    })
  }
  if (parameters.tfa_type === "MAGIC_LINK") {
    const link = yield* linkFor(account, parameters.link_regex_pattern ?? null, context)
    yield* page.navigation.goto(link).pipe(Effect.mapError((failure) => ofPage("open the link to sign in", failure)))
    return next
  }
  if (parameters.tfa_type === "PASSKEY") return yield* PasskeySignIn.signIn(node, account, context)
  const selector = ActionPoint.isPointed(node)
    ? yield* chosenField(node, account, context)
    : yield* Memory.evaluateText(parameters.selector ?? "", memory, page)
  const guard = SecretUse.guardFor(account)
  const target = { selector, waitMillis: parameters.wait_time ?? defaultWaitMillis, guard }
  const waiting = (failure: PageFailure) => ofPage("type a code into", failure)
  const { split } = yield* Effect.mapError(fieldIn(page, target), waiting)
  // Before a code is generated or requested: it must not be used on a foreign site.
  yield* Effect.mapError(page.elements.find({ ...target, first: split }), waiting)
  const supply = yield* supplyFor(account, parameters.tfa_type, context)
  let code = yield* supply(null)
  for (let refusals = 0; ; refusals++) {
    const complaint = yield* submit(page, target, Redacted.value(code)).pipe(Effect.mapError(waiting))
    if (complaint === null) return next
    const another = refusals === 0 ? yield* Effect.result(supply(complaint)) : Result.fail(null)
    if (Result.isSuccess(another)) code = another.success
    else return yield* refused(memory.credentials.secrets.hideWithin(complaint, 200), another.failure)
  }
})

/** The selector of the code field that a model finds, on the site of the credential. */
const chosenField = Effect.fnUntraced(function* (
  node: NodeOf<"TFA">,
  { entry }: Account,
  context: StepContext<"elements" | "navigation" | "vision">
) {
  const { page } = context
  const place = yield* ActionPoint.place(node, "type a code into", "", context)
  const { address, selector } = yield* page.vision
    .spot(place)
    .pipe(Effect.mapError((failure) => ofPage("type a code into", failure)))
  if (selector !== null && SecretSites.permits(entry, address)) return selector
  return yield* new StepFailed({
    code: "MODEL-E0006",
    sentence:
      selector === null
        ? "Cannot type a code into the field that the model chose: no selector leads to it"
        : `Cannot type a code of ${entry.domain} into the field that the model chose: it is of another site`,
    original: null
  })
})

const refused = (complaint: string, why: StepFailed | null) =>
  new StepFailed({
    code: "TFA-E0001",
    sentence: `Cannot sign in: the site refused the code${complaint === "" ? "" : `, saying "${complaint}"`}`,
    original: why === null ? "Another code was refused as well" : why.sentence
  })

/** Waits for the field, which may be the first of several boxes for one character each. */
const fieldIn = Effect.fnUntraced(function* (page: SessionParts<"navigation" | "elements">, target: ElementQuery) {
  const until = (yield* Clock.currentTimeMillis) + target.waitMillis
  while (true) {
    const field = yield* Effect.result(page.elements.inspect(target.selector))
    if (Result.isFailure(field) && !isNavigation(field.failure)) return yield* field.failure
    const usable =
      Result.isSuccess(field) && field.success.shown && (field.success.matched === 1 || field.success.split)
    if (usable) return field.success
    if ((yield* Clock.currentTimeMillis) >= until) break
    yield* Effect.sleep(lookEveryMillis)
  }
  // Says how many elements match.
  yield* page.elements.find({ ...target, waitMillis: 0, waitedMillis: target.waitMillis })
  return yield* page.elements.inspect(target.selector)
})

/** Types and submits a code. Returns the complaint of the site when it refuses the code, and `null` when it accepts it. */
const submit = Effect.fnUntraced(function* (
  page: SessionParts<"navigation" | "elements">,
  target: ElementQuery,
  code: string
) {
  const field = yield* fieldIn(page, target)
  const typing = { existing: "replace", delayMillis: keyMillis, paste: false, guard: target.guard } as const
  yield* page.elements.type({ ...target, first: field.split }, { ...typing, strokes: [code] })
  const sent = { field, path: yield* pathOf(page) }
  // Some pages submit a code as soon as it is complete; Enter would then go to the next page.
  const typed = yield* Effect.result(page.elements.inspect(target.selector))
  if (Result.isSuccess(typed) && typed.success.shown && typed.success.document === field.document) {
    yield* page.elements.type(null, { ...typing, existing: "keep", strokes: [{ key: "Enter" }] })
  }
  const began = yield* Clock.currentTimeMillis
  let goneSince: number | null = null
  let emptySince: number | null = null
  while (true) {
    const seen = yield* Effect.result(page.elements.inspect(target.selector))
    if (Result.isFailure(seen) && seen.failure.kind === "crash") return yield* seen.failure
    const now = yield* Clock.currentTimeMillis
    // A page that is navigating away cannot be examined.
    const shown: InspectedField = Result.isSuccess(seen) ? seen.success : { ...field, shown: false, loading: true }
    goneSince = shown.shown || shown.loading ? null : (goneSince ?? now)
    emptySince = shown.shown && shown.empty ? (emptySince ?? now) : null
    const lasting = { gone: now - (goneSince ?? now), empty: now - (emptySince ?? now) }
    const verdict = CodeVerdict.of(sent, { field: shown, path: yield* pathOf(page) }, lasting, now - began)
    if (verdict === "taken") return null
    if (verdict === "refused") return shown.complaint
    yield* Effect.sleep(lookEveryMillis)
  }
})

const pathOf = (page: SessionParts<"navigation">) =>
  Effect.map(page.navigation.address, (address) => address.replace(/[?#].*$/s, ""))

/** Gives a code, or another one if the site complained about the code before. */
type Supply = (complaint: string | null) => Effect.Effect<Redacted.Redacted<string>, StepFailed>

type CodeType = Exclude<Parameters<"TFA">["tfa_type"], "MAGIC_LINK" | "PASSKEY">

const supplyFor = Effect.fnUntraced(function* (account: Account, type: CodeType, context: StepContext<never>) {
  const { credentials } = context.memory
  const { codes } = context
  const secret = yield* Credentials.read(credentials, account, "TFA_SECRET")
  const parse = account.providedCode === undefined ? Otp.parse : Otp.parseProvided
  const otp = secret === null ? null : parse(Redacted.make(secret))
  const hidden =
    (supply: Supply): Supply =>
    (complaint) =>
      Effect.tap(supply(complaint), (code) =>
        Effect.sync(() => credentials.secrets.add(Redacted.value(code), "secret"))
      )
  const digits = type === "AUTHENTICATOR" && otp !== null && Result.isSuccess(otp) ? otp.success.digits : 6
  const asked = askedFor(account, type, digits, context)
  if (type === "AUTHENTICATOR" && codes !== null) {
    if (otp !== null) {
      const codesOf: Supply = Result.isFailure(otp)
        ? () => Effect.fail(impossible(otp.failure.message))
        : generated(account, otp.success, codes)
      return hidden(otherwiseAsked(codesOf, asked))
    }
    const first = yield* Credentials.providedCode(credentials, account)
    if (first !== null) return hidden(otherwiseAsked(provided(account, first, credentials), asked))
  }
  const address = type === "AUTHENTICATOR" || codes === null ? null : yield* codes.addressOf(account.entry, type)
  if (type !== "AUTHENTICATOR" && address !== null && codes !== null) {
    return hidden(received(account, type, address, codes, asked, context.began))
  }
  return hidden((complaint) =>
    Effect.gen(function* () {
      const code = yield* asked(complaint, longestMillis)
      return code ?? (yield* tooLate("no code was given", longestMillis))
    })
  )
})

/** Codes of the vault, or of a person where the vault has none. It fails with the reason of the vault. */
const otherwiseAsked =
  (supply: Supply, asked: Asked): Supply =>
  (complaint) =>
    Effect.gen(function* () {
      const prompted = yield* Clock.currentTimeMillis
      const code = yield* Effect.result(supply(complaint))
      if (Result.isSuccess(code)) return code.success
      const left = prompted + longestMillis - (yield* Clock.currentTimeMillis)
      return (yield* asked(complaint, left)) ?? (yield* code.failure)
    })

/** Whether the site sends to this credential by a channel, as far as the vault knows. */
const expects = (entry: VaultEntry, channel: Channel): boolean => {
  const method = effectiveTfaMethod(entry)
  return channel === "SMS" ? method === "SMS" : method === "EMAIL" || method === "MAGIC_LINK"
}

/** Ends the wait for a message and a person with whichever came first. */
interface Came<A> {
  readonly _tag: "Came"
  readonly value: A
}

/**
 * The message or the answer of a person, whichever comes first; `null` when neither comes in time. A person is asked
 * after a grace period without a message, and immediately where no message can arrive.
 */
const whicheverFirst = Effect.fnUntraced(function* <A>(
  arrival: Effect.Effect<A | null, StepFailed>,
  asked: (leftMillis: number) => Effect.Effect<A | null>,
  { expected, latest }: { readonly expected: boolean; readonly latest: number }
) {
  const over = yield* Deferred.make<void>()
  const came = (value: A | null) => (value === null ? Effect.void : Effect.fail<Came<A>>({ _tag: "Came", value }))
  const listening = Effect.flatMap(arrival, came).pipe(Effect.andThen(Deferred.succeed(over, undefined)))
  const asking = Effect.gen(function* () {
    if (expected) yield* Effect.timeoutOption(Deferred.await(over), graceMillis)
    yield* came(yield* asked(latest - (yield* Clock.currentTimeMillis)))
  })
  return yield* Effect.all([listening, asking], { concurrency: 2, discard: true }).pipe(
    Effect.as(null),
    Effect.catchTag("Came", ({ value }) => Effect.succeed(value))
  )
})

const impossible = (reason: string) =>
  new StepFailed({ code: "TFA-E0003", sentence: `Cannot sign in: ${reason}`, original: reason })

const tooLate = (what: string, millis: number) => {
  const sentence = `Cannot sign in: ${what} within ${millis / 1_000} s`
  return new StepFailed({ code: "TFA-E0002", sentence, original: null })
}

type Codes = LoginCodes["Service"]

const generated =
  ({ entry }: Account, otp: Otp.Otp, codes: Codes): Supply =>
  () =>
    Effect.gen(function* () {
      const latest = (yield* Clock.currentTimeMillis) + longestMillis
      const code = yield* codes
        .generated(entry, otp, latest)
        .pipe(Effect.mapError(({ message }) => impossible(message)))
      return yield* Effect.mapError(Effect.fromOption(code), () =>
        tooLate("other runs use every code of the secret", longestMillis)
      )
    })

/** Codes of a secret that stays in its provider. Their validity is unknown here, so after a refusal the next code is awaited. */
const provided = (account: Account, first: Redacted.Redacted<string>, credentials: Credentials.Credentials): Supply => {
  let last = Redacted.value(first)
  const another = Effect.gen(function* () {
    while (true) {
      const code = yield* Credentials.providedCode(credentials, account)
      if (code === null) return yield* impossible("the secret provider of the credential no longer provides codes")
      if (Redacted.value(code) !== last) return code
      yield* Effect.sleep(askAgainMillis)
    }
  })
  return (complaint) =>
    complaint === null
      ? Effect.succeed(first)
      : another.pipe(
          Effect.timeoutOrElse({
            duration: changeMillis,
            orElse: () => Effect.fail(tooLate("the secret provider of the credential made no other code", changeMillis))
          }),
          Effect.tap((code) => Effect.sync(() => (last = Redacted.value(code))))
        )
}

/** Codes that a site sends: each candidate of one message in turn, then later messages or a person. */
const received = (
  { entry }: Account,
  type: Exclude<CodeType, "AUTHENTICATOR">,
  address: string,
  codes: Codes,
  asked: Asked,
  since: number
): Supply => {
  let left: ReadonlyArray<Redacted.Redacted<string>> = []
  const arrival = (latest: number) =>
    Effect.gen(function* () {
      while (true) {
        const [code, ...others] = left
        left = others
        if (code !== undefined) return code
        const arrived = yield* codes.received(entry, address, { kind: "code", since }, latest)
        if (Option.isNone(arrived)) return null
        left = arrived.value
      }
    })
  return (complaint) =>
    Effect.gen(function* () {
      const latest = (yield* Clock.currentTimeMillis) + longestMillis
      const code = yield* whicheverFirst(arrival(latest), (millis) => asked(complaint, millis), {
        expected: expects(entry, type),
        latest
      })
      return code ?? (yield* tooLate(`no code arrived at ${address} or was given by a person`, longestMillis))
    })
}

/** Asks a person for a code, also after a refused one; `null` where none is given in time. */
type Asked = (complaint: string | null, leftMillis: number) => Effect.Effect<Redacted.Redacted<string> | null>

const askedFor =
  ({ entry }: Account, type: CodeType, digits: number, { ask }: StepContext<never>): Asked =>
  (complaint, leftMillis) =>
    Effect.gen(function* () {
      if (leftMillis <= 0) return null
      const schema = answer("code", `^[0-9]{${digits}}$`)
      const where = { AUTHENTICATOR: "of the authenticator app", EMAIL: "that was mailed", SMS: "that came by SMS" }[
        type
      ]
      const again = complaint === null ? "" : "The site refused the code. "
      const message = `${again}The login at ${entry.domain} asks for a code: enter the ${digits} digits ${where}`
      const given = yield* ask({ message, schema, timeoutMillis: leftMillis })
      return typeof given?.code === "string" ? Redacted.make(given.code) : null
    })

/** The schema of an answer with one text, which matches a pattern. */
const answer = (name: string, pattern: string): Schema.JsonObject => ({
  type: "object",
  properties: { [name]: { type: "string", pattern } },
  required: [name]
})

/** The link that was sent, from what arrived since the attempt began or from a person, whichever comes first. */
const linkFor = Effect.fnUntraced(function* (account: Account, pattern: string | null, context: StepContext<never>) {
  const { ask, began, codes, memory } = context
  const { secrets } = memory.credentials
  const { entry } = account
  if (pattern !== null) yield* Patterns.judge(pattern)
  const expression = pattern === null ? null : SafePattern.compile(pattern, "")
  const latest = (yield* Clock.currentTimeMillis) + longestMillis
  const asked = (leftMillis: number) =>
    Effect.gen(function* () {
      if (leftMillis <= 0) return null
      const message = `The login at ${entry.domain} sends a link: enter its address`
      const schema = answer("link", "^https?://[^\\s]+$")
      const link = (yield* ask({ message, schema, timeoutMillis: leftMillis }))?.link
      if (typeof link !== "string" || URL.parse(link) === null) return null
      secrets.addLink(link)
      return link
    })
  const address = codes === null ? null : yield* codes.addressOf(entry, "MAGIC_LINK")
  if (codes === null || address === null) {
    return (yield* asked(longestMillis)) ?? (yield* tooLate("no link was given", longestMillis))
  }
  let seen = 0
  const arrival = Effect.gen(function* () {
    while (true) {
      const wanted = { kind: "link", since: began, uncertain: expression !== null } as const
      const arrived = yield* codes.received(entry, address, wanted, latest)
      if (Option.isNone(arrived)) return null
      const links = arrived.value.map(Redacted.value).filter((link) => URL.parse(link) !== null)
      links.forEach(secrets.addLink)
      const fitting = links.filter((link) => expression === null || expression.test(link))
      const chosen =
        fitting.find((link) => SecretSites.permits(entry, link)) ??
        fitting.find((link) => expression !== null && namesHost(expression, link))
      if (chosen !== undefined) return chosen
      seen += links.length
    }
  })
  const link = yield* whicheverFirst(arrival, asked, { expected: expects(entry, "MAGIC_LINK"), latest })
  if (link !== null) return link
  return yield* tooLate(
    seen === 0
      ? `no link arrived at ${address} or was given by a person`
      : pattern === null
        ? `none of the ${seen} links that arrived is of the site of the credential, ${entry.domain}; a link_regex_pattern that names another host would allow it`
        : `none of the ${seen} links that arrived matches link_regex_pattern and is of the site of the credential, ${entry.domain}, or of a host that the pattern names`,
    longestMillis
  )
})

/** Whether a pattern matches a link because of its host: the same link to another host would not match. */
const namesHost = (pattern: { readonly test: (text: string) => boolean }, link: string): boolean => {
  const { hash, pathname, protocol, search } = new URL(link)
  return !pattern.test(`${protocol}//host.invalid${pathname}${search}${hash}`)
}
