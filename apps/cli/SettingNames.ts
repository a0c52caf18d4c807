/**
 * The environment variables that messages of the service name.
 */
import type { Setting } from "../../core/runtime/SettingNames.ts"

export const settingNames: Readonly<Record<Setting, string>> = {
  runSteps: "SLUICE_RUN_STEPS",
  runMinutes: "SLUICE_RUN_MINUTES",
  pageUnresponsive: "SLUICE_PAGE_UNRESPONSIVE_SECONDS",
  pageWindows: "SLUICE_PAGE_WINDOWS",
  pageMemory: "SLUICE_PAGE_MEMORY_MB",
  downloadSize: "SLUICE_DOWNLOAD_MB",
  downloads: "SLUICE_DOWNLOADS",
  modelCalls: "SLUICE_MODEL_CALLS",
  modelTokens: "SLUICE_MODEL_TOKENS",
  modelSeconds: "SLUICE_MODEL_SECONDS",
  model: "SLUICE_MODEL_URL and SLUICE_MODEL",
  proxies: "SLUICE_PROXIES",
  inboxDomain: "SLUICE_INBOX_DOMAIN",
  workspaceStorage: "SLUICE_WORKSPACE_STORAGE_MB",
  masterKey: "SLUICE_MASTER_KEY",
  previousMasterKey: "SLUICE_PREVIOUS_MASTER_KEY"
}
