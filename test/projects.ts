/**
 * The projects of the test runner, and which of them each test file belongs to.
 *
 * - `unit`: no database, no browser, no server of ours; starts at once
 * - `contract`: the ports, on memory, the embedded database and a PostgreSQL server
 * - `http`: servers on loopback, asked over sockets; the embedded database where one is needed
 * - `browser`: a real Chromium
 * - `e2e`: whole processes, with a PostgreSQL server and a real Chromium
 * - `timing`: what bounds the processor time of a thread; each file has its own process, so that what earlier files
 *   left in memory is not collected while one measures
 */
export type Project = "unit" | "contract" | "http" | "browser" | "e2e" | "timing"

/** Folders end in `/`. The longest entry that a path starts with decides. */
const rules: Readonly<Record<Project, ReadonlyArray<string>>> = {
  unit: [
    "test/agent/",
    "test/attack/claims.test.ts",
    "test/attack/fuzz/structures.test.ts",
    "test/builder/",
    "test/cli/",
    "test/console/",
    "test/contract/browser/scripted.test.ts",
    "test/docs/",
    "test/event/",
    "test/interaction/",
    "test/layout/",
    "test/log/",
    "test/leaks/canaries.test.ts",
    "test/mail/parser.test.ts",
    "test/packages/",
    "test/rehearsal/",
    "test/request/",
    "test/run/",
    "test/simulation/",
    "test/runtime/",
    "test/schedule/",
    "test/testing/",
    "test/tfa/",
    "test/vault/",
    "test/webhook/",
    "test/window/",
    "test/workflow/"
  ],
  contract: [
    "test/contract/",
    "test/runtime/recent.test.ts",
    "test/run/concurrency.test.ts",
    "test/run/model.test.ts",
    "test/run/slots.test.ts"
  ],
  http: [
    "test/agent/guard.test.ts",
    "test/api/",
    "test/attack/",
    "test/cli/story.test.ts",
    "test/conformance/",
    "test/cli/workspace.test.ts",
    "test/docs/commands.test.ts",
    "test/docs/deploy.test.ts",
    "test/docs/settings.test.ts",
    "test/health/",
    "test/inbound/",
    "test/leaks/otlp.test.ts",
    "test/leaks/traces.test.ts",
    "test/log/requests.test.ts",
    "test/mail/",
    "test/model/protocol.test.ts",
    "test/request/rateLimit.test.ts",
    "test/runtime/recorders.test.ts",
    "test/secrets/",
    "test/vault/accounts.test.ts",
    "test/vault/secrecy.test.ts",
    "test/webhook/address.test.ts",
    "test/webhook/delivery.test.ts",
    "test/webhook/links.test.ts"
  ],
  browser: [
    "test/agent/allowedSites.test.ts",
    "test/agent/browser.test.ts",
    "test/agent/copying.test.ts",
    "test/agent/dataBrowser.test.ts",
    "test/agent/destinations.test.ts",
    "test/agent/endurance.test.ts",
    "test/agent/evidence.test.ts",
    "test/agent/finding.test.ts",
    "test/agent/frames.test.ts",
    "test/agent/goodNews.test.ts",
    "test/agent/grid.test.ts",
    "test/agent/hostile.test.ts",
    "test/agent/isolation.test.ts",
    "test/agent/leftProfiles.test.ts",
    "test/agent/navigationCauses.test.ts",
    "test/agent/person.test.ts",
    "test/agent/proxy.test.ts",
    "test/agent/recovery/browser.test.ts",
    "test/agent/scrolling.test.ts",
    "test/agent/selects.test.ts",
    "test/agent/signingIn.test.ts",
    "test/agent/session.test.ts",
    "test/agent/tfaBrowser.test.ts",
    "test/agent/transfers.test.ts",
    "test/agent/typing.test.ts",
    "test/agent/video.test.ts",
    "test/agent/visible.test.ts",
    "test/agent/waits.test.ts",
    "test/agent/tabs.test.ts",
    "test/agent/world.test.ts",
    "test/api/debugRun.test.ts",
    "test/attack/dns.test.ts",
    "test/console/browser.test.ts",
    "test/attack/foreignSites.test.ts",
    "test/attack/fuzz/pages.test.ts",
    "test/attack/pageMemory.test.ts",
    "test/attack/snapshots.test.ts",
    "test/attack/switchingProtocols.test.ts",
    "test/attack/udp.test.ts",
    "test/contract/browser/chromium.test.ts",
    "test/contract/browser/grid.test.ts",
    "test/docs/actions.test.ts",
    "test/docs/gettingStarted.test.ts",
    "test/api/liveBrowser.test.ts",
    "test/api/recovery.test.ts",
    "test/api/responsive.test.ts",
    "test/gauntlet/",
    "test/model/",
    "test/run/signedIn.test.ts"
  ],
  e2e: [
    "test/api/idempotency.test.ts",
    "test/attack/browserUser.test.ts",
    "test/attack/browserUsers.test.ts",
    "test/attack/fileModes.test.ts",
    "test/attack/fuzz/fuzz.test.ts",
    "test/e2e/",
    "test/health/guards.test.ts",
    "test/leaks/"
  ],
  timing: [
    "test/attack/bodies.test.ts",
    "test/attack/embeddedLoop.test.ts",
    "test/attack/eventLoop.test.ts",
    "test/attack/expressions.test.ts",
    "test/attack/hiding.test.ts",
    "test/attack/largeEvents.test.ts",
    "test/attack/patterns.test.ts",
    "test/attack/processorTime.test.ts",
    "test/attack/records.test.ts",
    "test/window/cost.test.ts"
  ]
}

export const projects = Object.keys(rules) as ReadonlyArray<Project>

const entries = projects.flatMap((project) => rules[project].map((start) => ({ project, start })))

/** The project of a test file, by its path in the checkout; `null` when no rule names it. */
export const projectOf = (path: string): Project | null =>
  entries.filter(({ start }) => path.startsWith(start)).toSorted((a, b) => b.start.length - a.start.length)[0]
    ?.project ?? null

const globOf = (start: string): string => (start.endsWith("/") ? `${start}**/*.test.ts` : start)

/** The includes and excludes of projects for the runner: `projectOf` in globs. */
export const globsOf = (...chosen: ReadonlyArray<Project>) => {
  const starts = chosen.flatMap((project) => rules[project])
  return {
    include: starts.map(globOf),
    exclude: entries
      .filter((other) => !chosen.includes(other.project) && starts.some((start) => other.start.startsWith(start)))
      .map(({ start }) => globOf(start))
  }
}

/** The projects whose files take turns in the same processes where all tests run: each start of a process costs seconds. */
export const shared: ReadonlyArray<Project> = ["http", "contract", "unit"]
