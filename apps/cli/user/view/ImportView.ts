/** What an export wrote, and what an import does, for a person and for a program. */
import * as ImportPlan from "../exchange/ImportPlan.ts"
import type { Held } from "../exchange/WorkspaceFiles.ts"
import { cell } from "./Table.ts"

const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`

const notExported =
  "Not in it: values of credentials, secrets of webhooks, keys, runs and earlier versions. README.md in it says all"

export const exported = (
  folder: string,
  { codes, components, credentials, webhooks, workflows }: Held,
  { removed, written }: { readonly written: number; readonly removed: number }
): string =>
  [
    `${folder} has ${[
      counted(workflows.length, "workflow"),
      counted(components.length, "component"),
      counted(codes.length, "error code"),
      counted(webhooks.length, "webhook")
    ].join(", ")}, and the names of ${counted(credentials.length, "credential")}`,
    written + removed === 0
      ? "Nothing has changed in it"
      : `Wrote ${counted(written, "file")}${removed === 0 ? "" : ` and removed ${removed}`}`,
    notExported
  ].join("\n")

interface Options {
  readonly activate: boolean
  readonly dryRun: boolean
}

/** Schedules and webhooks that are on in the folder, and off in the workspace after the import. */
const off = (plan: ImportPlan.Plan, { activate }: Options) =>
  activate
    ? { schedules: 0, webhooks: 0 }
    : {
        schedules: plan.workflows
          .flatMap(({ schedules }) => schedules)
          .filter(({ held, wanted }) => wanted.active && (held === null || held.paused !== null)).length,
        webhooks: plan.webhooks.filter(({ active, wanted }) => wanted.active && !active).length
      }

export const json = (plan: ImportPlan.Plan, options: Options) => ({
  dry_run: options.dryRun,
  changes: ImportPlan.lines(plan),
  kept: ImportPlan.kept(plan),
  not_in_folder: plan.others,
  missing_credentials: plan.missing,
  new_webhook_secrets: plan.webhooks.filter(({ held }) => held === null).map(({ wanted }) => wanted.url),
  switched_off: off(plan, options)
})

export const text = (plan: ImportPlan.Plan, options: Options): string => {
  const lines = ImportPlan.lines(plan)
  const { new_webhook_secrets, switched_off } = json(plan, options)
  const words = options.dryRun
    ? { create: "would make", change: "would change" }
    : { create: "made", change: "changed" }
  const isOff = switched_off.schedules + switched_off.webhooks > 0
  return [
    ...lines.map(
      ({ action, detail, name, what }) =>
        `${words[action]} ${what} ${cell(name)}${detail === "" ? "" : `: ${cell(detail)}`}`
    ),
    `${counted(lines.length, "change")}; ${ImportPlan.kept(plan)} equal already; ${plan.others.length} not in the folder, which stay`,
    ...plan.others.map((other) => `  stays: ${cell(other)}`),
    ...(isOff
      ? [
          `${counted(switched_off.schedules, "schedule")} paused and ${counted(switched_off.webhooks, "webhook")} inactive: import again with --activate when the service that they come from no longer runs them`
        ]
      : []),
    ...(new_webhook_secrets.length > 0
      ? [
          "Each new webhook has a secret that nobody knows. Set one that its receiver has, with PATCH /webhook-endpoints/ID:",
          ...new_webhook_secrets.map((url) => `  ${cell(url)}`)
        ]
      : []),
    ...(plan.missing.length > 0
      ? [
          "These credentials are not in the workspace. sluice vault put stores them:",
          ...plan.missing.map(({ domain, permissioned_user_id }) => `  ${cell(permissioned_user_id)} ${cell(domain)}`)
        ]
      : []),
    ...(options.dryRun ? ["Nothing was changed"] : [])
  ].join("\n")
}
