import { Effect } from "effect"
import * as FileNames from "../../browser/file/FileNames.ts"
import { type FileNotFetched, FileSource } from "../../browser/file/FileSource.ts"
import * as AllowedSites from "../../workflow/AllowedSites.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { afterActing, ofPage, StepFailed } from "../Failure.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"

/**
 * Fetches a file, and puts it into the field that `selector` names or the file dialog that is open, or drops it. With
 * `taken_selector`, waits until the page shows that it has taken it.
 */
export const fileUpload: Action<"FILE_UPLOAD", "elements" | "navigation"> = Effect.fnUntraced(function* (
  { parameters },
  { allowedSites, memory, page }
) {
  const address = yield* Memory.evaluateText(parameters.signed_file_url, memory, page, "guarded")
  const selector = yield* Memory.evaluateText(parameters.selector ?? "", memory, page)
  const given = yield* Memory.evaluateText(parameters.file_name ?? "", memory, page, "guarded")
  const url = URL.parse(address)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return yield* new StepFailed({
      code: "UPLOAD-E0002",
      sentence: `Cannot fetch the file to upload: expected an address with http: or https:, got ${url?.protocol ?? "a text that is no address"}`,
      original: null
    })
  }
  const fetching = yield* SecretUse.guard([parameters.signed_file_url], [address], memory)
  const foreign = SecretUse.objection(fetching, parameters.signed_file_url, url.href, yield* page.navigation.address)
  if (foreign !== null) return yield* SecretUse.refused("fetch the file to upload", foreign)
  const guard = yield* SecretUse.guard([parameters.file_name ?? ""], [given], memory)
  if (guard?.hiddenOnly !== undefined) return yield* SecretUse.refused("name the file to upload", guard.hiddenOnly)
  const here = selector === "" ? (guard?.(yield* page.navigation.address) ?? null) : null
  if (here !== null) return yield* SecretUse.refused("upload the file", here)
  const source = yield* FileSource
  const refusal = ({ href }: URL): string | null =>
    AllowedSites.permits(allowedSites, href) ? null : AllowedSites.refusal(allowedSites, href)
  const target = selector === "" ? null : { selector, waitMillis: parameters.wait_time ?? defaultWaitMillis, guard }
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* source.get(url, refusal).pipe(Effect.mapError((failure) => ofFile(url, failure)))
      const fileName = given.trim() === "" ? file.fileName : FileNames.safe(given, file.fileName)
      const named = { ...file, fileName }
      const how = parameters.paste === true ? "paste" : "drop"
      const isDropped = (parameters.drop === true || parameters.paste === true) && target !== null
      const tried = isDropped
        ? how === "drop"
          ? "drop the file on"
          : "paste the file into"
        : target === null
          ? "upload the file"
          : "upload the file into"
      yield* (isDropped ? page.elements.dropFile(target, named, how) : page.elements.upload(target, named)).pipe(
        Effect.mapError((failure) => ofPage(tried, failure))
      )
      const taken = yield* Memory.evaluateText(parameters.taken_selector ?? "", memory, page)
      if (taken === "") return
      yield* page.elements
        .find({ selector: taken, waitMillis: parameters.wait_time ?? defaultWaitMillis, first: true })
        .pipe(Effect.mapError((failure) => afterActing(ofPage("see that the page has taken the file, by", failure))))
    })
  )
  return next
})

const codes = { forbidden: "UPLOAD-E0004", tooLarge: "UPLOAD-E0003", failed: "UPLOAD-E0002" } as const

/** The address without its query, which is what opens the file. */
const ofFile = ({ origin, pathname }: URL, { kind, reason }: FileNotFetched): StepFailed =>
  new StepFailed({
    code: codes[kind],
    sentence: `Cannot fetch the file to upload from ${origin}${pathname}: ${reason}`,
    original: reason
  })
