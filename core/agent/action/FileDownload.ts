import { Effect } from "effect"
import type { Download } from "../../browser/file/DownloadPorts.ts"
import * as FileContent from "../../browser/file/FileContent.ts"
import { PageFailure } from "../../browser/PageFailure.ts"
import { defaultDownloadSeconds } from "../../workflow/language/parameters/Pages.ts"
import { ofPage } from "../Failure.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as Metadata from "../variables/Metadata.ts"

/**
 * Keeps the downloads that the preceding action began, each if its content is what its name says, or the page as a PDF with `trigger_print`. The `selector` of older
 * workflows matters for printing only, which waits for that element.
 */
export const fileDownload: Action<"FILE_DOWNLOAD", "elements" | "navigation"> = Effect.fnUntraced(function* (
  { parameters },
  { keep, memory, page }
) {
  const seconds = parameters.timeout_seconds ?? defaultDownloadSeconds
  const metadata = yield* Metadata.evaluated(parameters.metadata, memory, page)
  const failed = (tried: string, failure: PageFailure) =>
    parameters.continue_on_failed_download === true ? Effect.succeed(next) : Effect.fail(ofPage(tried, failure))

  if (parameters.trigger_print === true) {
    const selector = yield* Memory.evaluateText(parameters.selector ?? "", memory, page)
    const ready =
      selector === ""
        ? Effect.void
        : page.elements.find({ selector, waitMillis: Math.round(seconds * 1_000), first: true })
    const printed = yield* Effect.result(Effect.andThen(ready, page.navigation.print))
    if (printed._tag === "Failure") return yield* failed("print the page", printed.failure)
    yield* keep(printed.success, metadata)
    return next
  }
  const { failure, files } = yield* page.navigation.download(Math.round(seconds * 1_000))
  let refused: PageFailure | null = null
  for (const file of files) {
    const wrong = yield* objection(file)
    if (wrong === null) yield* keep(file, metadata)
    else yield* file.discard
    refused ??= wrong
  }
  if (refused !== null) return yield* failed("keep a downloaded file", refused)
  return failure === null ? next : yield* failed("download a file", failure)
})

/** Why a file cannot be kept: it cannot be read, or it is not what its name says. */
const objection = ({ bytes, fileName }: Download): Effect.Effect<PageFailure | null> =>
  Effect.match(bytes, {
    onFailure: (failure) => failure,
    onSuccess: (read) => {
      const reason = FileContent.objection(fileName, read)
      return reason === null ? null : new PageFailure({ kind: "download", reason: `${fileName}: ${reason}` })
    }
  })
