/**
 * Regular expressions of ours take steps that grow with the length of a text, and not with its square: a page or a caller
 * that writes the worst text for one of them stops nothing.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseAst } from "rolldown/parseAst"
import { remover } from "../../support/CountedRegex.ts"
import { attacks, slowest } from "../../support/expensiveTexts.ts"
import { parse } from "../../support/RegexTree.ts"

const root = join(import.meta.dirname, "../../..")

const sources = ["core", "adapters", "apps", "test/kit"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, String(path))))
  .filter((path) => path.endsWith(".ts"))
  .toSorted()

interface Found {
  readonly file: string
  readonly source: string
  readonly flags: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The regular expressions that a file writes down, and how many it composes. */
const expressionsOf = (file: string): { readonly literals: ReadonlyArray<Found>; readonly composed: number } => {
  const literals: Array<Found> = []
  let composed = 0
  const pending: Array<unknown> = [parseAst(readFileSync(join(root, file), "utf8"), { lang: "ts" })]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!isRecord(node)) continue
    const { callee, regex } = node
    if (isRecord(regex)) literals.push({ file, source: String(regex.pattern), flags: String(regex.flags) })
    if (node.type === "NewExpression" && isRecord(callee) && callee.name === "RegExp") composed++
    // An absent part of the tree is null, and a list may have holes.
    pending.push(...Object.values(node).filter((value) => value !== undefined && value !== null))
  }
  return { literals, composed }
}

const expressions = sources.map((file) => ({ file, ...expressionsOf(file) }))
const literals = new Map(
  expressions.flatMap((one) => one.literals).map((one) => [`/${one.source}/${one.flags}`, one] as const)
)

describe("a regular expression", () => {
  it("is found wherever it is written down", () => assert.isAbove(literals.size, 200))

  it("takes as many steps as are counted: the counting matcher matches as the engine does", () => {
    const wrong = [...literals].flatMap(([text, { flags, source }]) => {
      const tree = parse(source, flags)
      const remove = remover(tree, flags)
      return attacks(tree, flags).flatMap((attack) => {
        const short = attack(3)
        const { rest } = remove(short, 1_000_000)
        return rest === short.replace(new RegExp(source, flags), "") ? [] : [[text, short, rest]]
      })
    })
    assert.deepEqual(wrong, [])
  })

  it("that the source writes down is linear in the length of a text", () => {
    const slow = [...literals].flatMap(([text, { file, flags, source }]) => {
      const found = slowest(source, flags)
      return found === null ? [] : [{ file, expression: text, ...found }]
    })
    assert.deepEqual(slow, [])
  })

  it.each([
    ["(a+)+$", ""],
    ["(?:a|a)*b", ""],
    ["\\\\*x", "g"],
    ["\\s+$", ""],
    ["^\\/+|\\/+$", "g"],
    ["^a*b?a*$", ""],
    ["(?<=^\\w*)x", "u"],
    ["(\\w)\\1*\\d", ""],
    ["\\w{1,4096}@", ""],
    ["<b>.*</b>", ""]
  ])("such as /%s/%s would be found out", (source, flags) => assert.isNotNull(slowest(source, flags)))

  /** Those that are composed while the program runs, and why they are linear. */
  const composed: Readonly<Record<string, string>> = {
    "adapters/playwright/injected/find/ModernXPath.ts": "written by a workflow, runs in the page",
    "adapters/playwright/inpage/Snapshot.ts": "a fixed mark and digits, runs in the page",
    "adapters/s3/S3Artifacts.ts": "excludes the sign that ends it",
    "apps/console/schedules/ScheduleModel.ts": "a fixed name, and digits up to what cannot be in them",
    "core/browser/element/Figure.ts": "measured here as it is composed",
    "core/builder/proposal/Irreversible.ts": "fixed words between fixed characters, without repetitions",
    "core/vault/inbox/Candidate.ts": "measured here as it is composed",
    "core/vault/inbox/Wording.ts": "measured here as it is composed",
    "core/window/calendar/ZoneFile.ts": "anchored, each part ends at a character that cannot be in it",
    "core/window/exchange/CalendarText.ts": "anchored, each part ends at a character that cannot be in it",
    "core/workflow/component/Instances.ts": "anchored, of fixed length",
    "core/workflow/language/expression/Pattern.ts": "compiled to find out whether it may be, and not run",
    "core/workflow/language/expression/SafePattern.ts": "proven linear before it is run",
    "core/workflow/language/expression/SafeRegex.ts": "proven linear before it is run",
    "core/workflow/language/format/DatePattern.ts": "of fixed length between characters that cannot be in it",
    "core/workflow/language/warning/SelectorWarnings.ts": "anchored, without repetitions",
    "core/workflow/language/parameters/TransformParameters.ts": "anchored, its repetitions are bounded",
    "core/workflow/sandbox/Operations.ts": "checked by SafePattern, and run in a thread with a deadline",
    "test/kit/conformance/scenario/Interactions.ts": "of the service under test, tried on seven characters at most"
  }

  it("that is composed when its file is loaded is linear", async () => {
    const recorded: Array<RegExp> = []
    const Original = globalThis.RegExp
    globalThis.RegExp = new Proxy(Original, {
      construct: (target, given, newTarget) => {
        const made = Reflect.construct(target, given, newTarget) as RegExp
        recorded.push(made)
        return made
      }
    })
    try {
      // The query makes the runner load the files once more, beside those that other tests have loaded.
      for (const file of ["Candidate", "Wording"]) await import(`../../../core/vault/inbox/${file}.ts?composed`)
      await import(`../../../core/browser/element/${"Figure"}.ts?composed`)
    } finally {
      globalThis.RegExp = Original
    }
    assert.isAbove(recorded.length, 3)
    assert.deepEqual(
      recorded.flatMap(({ flags, source }) => {
        const found = slowest(source, flags)
        return found === null ? [] : [{ source, ...found }]
      }),
      []
    )
  })

  it("that is composed is known, with why it is linear", () => {
    const found = expressions.filter((one) => one.composed > 0).map(({ file }) => file)
    assert.deepEqual(found, Object.keys(composed).toSorted())
  })
})
