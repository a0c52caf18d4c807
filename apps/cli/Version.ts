import { readFileSync } from "node:fs"

const written: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))

/** The version of the package. */
export const version =
  typeof written === "object" && written !== null && "version" in written ? String(written.version) : "unknown"
