/**
 * Workflows in files of code: a TypeScript module whose default export is a workflow of `@sluice/core/workflow/code`.
 */
import * as nodeModule from "node:module"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import { codeOf, moduleName } from "../../../core/workflow/code/CodeText.ts"
import * as Code from "../../../core/workflow/code/WorkflowCode.ts"
import * as Json from "../../../core/workspace/Json.ts"
import { refused } from "./Ending.ts"

/** The fields of a workflow, from a file or from the service. All of it is JSON, which not every type says. */
export type Fields = Readonly<Record<string, unknown>>

/** The same with the type that it has. */
export const json = (fields: Fields) => fields as Parameters<typeof codeOf>[0]

const codeFrom = (fields: Fields): string => codeOf(json(fields))

/** Whether a file contains code, by its name. */
export const isCode = (path: string): boolean => /\.[mc]?[jt]s$/.test(path)

/** Where the package of the core is not installed beside a file, the file has the module of this program. */
const provided = (): string => {
  const key = "sluice/workflow/code"
  Object.assign(globalThis, { [Symbol.for(key)]: Code })
  const lines = Object.keys(Code).map((name) => `export const ${name} = Code.${name}`)
  const text = [`const Code = globalThis[Symbol.for(${JSON.stringify(key)})]`, ...lines].join("\n")
  return `data:text/javascript,${encodeURIComponent(text)}`
}

/** Registered once, and only on runtimes that can: on others the package has to be installed. */
let isProvided = false

const provide = (): void => {
  if (isProvided || typeof nodeModule.registerHooks !== "function") return
  isProvided = true
  nodeModule.registerHooks({
    resolve: (name, context, next) => {
      if (name !== moduleName) return next(name, context)
      try {
        return next(name, context)
      } catch {
        return { url: provided(), format: "module", shortCircuit: true }
      }
    }
  })
}

/** The workflow of a file, as the body that saves it and the bodies of its schedules. */
export const read = Effect.fnUntraced(function* (path: string) {
  const { code } = yield* Effect.tryPromise({
    try: async () => {
      provide()
      const loaded: { readonly default?: Partial<Code.WorkflowCode> } = await import(
        /* @vite-ignore */ pathToFileURL(resolve(path)).href
      )
      return { code: loaded.default }
    },
    catch: (cause) => refused("wrong", `Cannot load the file ${path}: ${reasonOf(cause)}`)
  })
  const toJSON = code?.toJSON
  if (toJSON === undefined) {
    return yield* refused("wrong", `${path}: expected a workflow of ${moduleName} as the default export`)
  }
  const fields = yield* Effect.try({
    // As the interface would read it: without members that are undefined.
    try: (): unknown => JSON.parse(JSON.stringify(toJSON())),
    catch: (cause) => refused("wrong", `${path}: ${reasonOf(cause)}`)
  })
  return { fields: Json.objectOf(fields), schedules: code?.schedules ?? [] }
})

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The code of a workflow as the service answers it. The run window has separate commands. */
export const pulled = (view: Fields): string =>
  codeFrom({ ...view, base_version_id: view.version_id, run_window: undefined, version_note: undefined })

/** What two workflows are compared by. The run window is a part of it where code sets one. */
export const content = (fields: Fields, withWindow: boolean): string =>
  codeFrom({
    ...fields,
    base_version_id: undefined,
    version_note: undefined,
    run_window: withWindow ? fields.run_window : undefined
  })

/** The text of a file that names the version which it was saved as; `null` where the file has no place for it. */
export const noting = (text: string, id: string, version: string): string | null => {
  const named = [...text.matchAll(/\bbase_version_id:\s*"[^"]*"/g)]
  if (named.length === 1) return text.replace(/\bbase_version_id:\s*"[^"]*"/, `base_version_id: "${version}"`)
  const [begins, ...others] = [...text.matchAll(/\bworkflow\(\{/g)]
  if (named.length > 1 || begins === undefined || others.length > 0) return null
  const at = begins.index + begins[0].length
  return `${text.slice(0, at)}\n  id: "${id}",\n  base_version_id: "${version}",${text.slice(at)}`
}
