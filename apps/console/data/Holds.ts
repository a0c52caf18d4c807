/** Why a waiting run has not started, in words. */
export const holdWords: Readonly<Record<string, string>> = {
  run_window: "Run window closed",
  manual: "Workflow paused",
  credential: "Credential in use",
  browser: "No free browser",
  capacity: "No free place"
}
