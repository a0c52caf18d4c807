/**
 * The projects of the test runner: the folders of `test` that hold test files.
 *
 * - `unit`: no database, no browser, no server of ours; starts at once
 * - `contract`: the ports, on memory, the embedded database and a PostgreSQL server
 * - `http`: servers on loopback, asked over sockets; the embedded database where one is needed
 * - `browser`: a real Chromium
 * - `e2e`: whole processes, with a PostgreSQL server and a real Chromium
 */
export const projects = ["unit", "contract", "http", "browser", "e2e"] as const

export type Project = (typeof projects)[number]

/** The project of a test file, by its path in the checkout; `null` for one that stands elsewhere. */
export const projectOf = (path: string): Project | null =>
  projects.find((project) => path.startsWith(`test/${project}/`)) ?? null

/** The projects whose files take turns in the same processes where all tests run: each start of a process costs seconds. */
export const shared: ReadonlyArray<Project> = ["http", "contract", "unit"]
