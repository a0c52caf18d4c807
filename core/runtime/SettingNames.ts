/**
 * The names of the settings that messages may mention. Core knows the limit; the application knows the name of its
 * setting.
 */
import { Context } from "effect"

export type Setting =
  | "runSteps"
  | "runMinutes"
  | "pageUnresponsive"
  | "pageWindows"
  | "pageMemory"
  | "downloadSize"
  | "downloads"
  | "modelCalls"
  | "modelTokens"
  | "modelSeconds"
  | "model"
  | "proxies"
  | "inboxDomain"
  | "workspaceStorage"
  | "masterKey"
  | "previousMasterKey"

/** The names of settings. A message does not name a setting that has no name here. */
export type Names = Readonly<Partial<Record<Setting, string>>>

/** The names of this installation. */
export const SettingNames: Context.Reference<Names> = Context.Reference("sluice/core/runtime/SettingNames", {
  defaultValue: (): Names => ({})
})

/** The name of a setting as messages add it to a limit: ` (NAME)`, or nothing. */
export const inBrackets = (names: Names | undefined, setting: Setting): string => {
  const name = names?.[setting]
  return name === undefined ? "" : ` (${name})`
}
