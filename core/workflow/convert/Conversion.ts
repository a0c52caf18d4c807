/**
 * Recordings, scripts and workflows of other programs as workflows. A pure function of the text of a file: nothing of it
 * is executed.
 */
import { Result, type Schema } from "effect"
import type { Problem } from "../Workflow.ts"
import { assembled, type Converted } from "./Assembly.ts"
import * as Automa from "./Automa.ts"
import * as BrowserScript from "./BrowserScript.ts"
import * as ChromeRecorder from "./ChromeRecorder.ts"
import * as LinedJson from "./LinedJson.ts"
import * as N8n from "./N8n.ts"
import type { Parsers } from "./Parsers.ts"
import * as PlaywrightLines from "./PlaywrightLines.ts"
import { mostSteps, type Recording, type Unreadable } from "./Recording.ts"
import * as SeleniumIde from "./SeleniumIde.ts"
import * as Skyvern from "./Skyvern.ts"
import * as UiVision from "./UiVision.ts"

/** Maximum length of a file, in characters. */
export const mostCharacters = 8_000_000

interface JsonFormat {
  readonly recognises: (value: Schema.Json) => boolean
  readonly read: (
    file: LinedJson.LinedJson,
    parsers: Parsers | null
  ) => Result.Result<Recording, ReadonlyArray<Unreadable>>
}

const jsonFormats: ReadonlyArray<JsonFormat> = [SeleniumIde, ChromeRecorder, UiVision, Skyvern, Automa, N8n]

const expected =
  "expected a recording of Chrome DevTools Recorder (JSON), a project of Selenium IDE (.side), a macro of UI.Vision, a workflow of Skyvern (JSON or YAML), Automa or n8n (JSON), or a script or recording of Playwright or Puppeteer"

/** Converts a file. Fails with every problem, each below the path `content`. Without parsers, scripts and YAML are refused. */
export const convert = (
  content: string,
  parsers: Parsers | null = null
): Result.Result<Converted, ReadonlyArray<Problem>> =>
  Result.flatMap(recordingOf(content, parsers), (recording) => {
    const count = Math.max(recording.steps.length, recording.order?.length ?? 0)
    return count > mostSteps
      ? Result.fail([{ path: "", message: `The file has ${count} steps: expected at most ${mostSteps}` }])
      : Result.succeed(assembled(recording))
  }).pipe(Result.mapError((problems) => problems.map(({ message, path }) => ({ path: below(path), message }))))

const below = (path: string): string => (path === "" ? "content" : `content.${path}`)

const refusal = (message: string): Result.Result<never, ReadonlyArray<Unreadable>> =>
  Result.fail([{ path: "", message }])

const recordingOf = (content: string, parsers: Parsers | null): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  if (content.length > mostCharacters) {
    return refusal(`The file has ${content.length} characters: expected at most ${mostCharacters}`)
  }
  if (content.trim() === "") return refusal(`The file is empty: ${expected}`)
  if (content.startsWith("PK\u0003\u0004")) return refusal(`The file is an archive: unpack it, and send the file in it`)
  if (content.includes("\u0000")) return refusal(`The file is not text: ${expected}`)
  if (PlaywrightLines.recognises(content)) return PlaywrightLines.read(content)
  if (/^\ufeff?\s*[{[]/.test(content)) {
    return LinedJson.parse(content).pipe(
      Result.mapError((problem) => [problem]),
      Result.flatMap((file) => {
        const format = jsonFormats.find((one) => one.recognises(file.value))
        return format === undefined
          ? refusal(`No known program writes such a JSON: ${expected}`)
          : format.read(file, parsers)
      })
    )
  }
  const isYaml = Skyvern.recognisesYaml(content)
  if (!isYaml && !BrowserScript.recognises(content)) {
    return refusal(`No known program writes such a file: ${expected}`)
  }
  if (parsers === null) return refusal("Scripts and YAML are not read here: expected a recording or a workflow as JSON")
  if (isYaml) {
    return parsers.yaml(content).pipe(
      Result.mapError((problem) => [problem]),
      Result.flatMap((file) =>
        Skyvern.recognises(file.value)
          ? Skyvern.read(file)
          : refusal(`No known program writes such a YAML: ${expected}`)
      )
    )
  }
  return parsers.script(content).pipe(
    Result.mapError((problem) => [problem]),
    Result.flatMap((tree) => BrowserScript.read(BrowserScript.formatOf(content), tree))
  )
}
