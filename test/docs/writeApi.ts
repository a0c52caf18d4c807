/** Writes `docs/api.md` again: `node test/docs/writeApi.ts`. */
import { writeFileSync } from "node:fs"
import * as ApiPage from "./ApiPage.ts"

writeFileSync(new URL("../../docs/api.md", import.meta.url), ApiPage.written())
