/** Reserves a user for a browser until this process ends, and prints its id. */
import * as Confinement from "../../adapters/playwright/Confinement.ts"

const { user } = Confinement.hold({ user: "fresh", sandbox: true, gaps: [] })
process.stdout.write(`${user?.uid}\n`)
setInterval(() => {}, 60_000)
