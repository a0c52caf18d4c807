/**
 * The order of test files: project by project, because a worker keeps its modules and its browser only for files of one
 * project, and long files first, so that none runs alone at the end.
 */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { type Project, projectOf } from "../projects.ts"
import { root } from "./Source.ts"

const order: ReadonlyArray<string> = ["e2e", "browser", "shared", "http", "contract", "unit"]

/** The files with long tests on every machine, within their project: whole browsers and processes. */
const long = [
  "browser/gauntlet/",
  "browser/agent/hostile.",
  "e2e/leaks/",
  "browser/agent/recovery.",
  "e2e/packages/",
  "http/mail/"
]

/** Files of a lower rank run first. Where projects share processes, the files of one still follow each other. */
export const rank = ({ moduleId, project }: TestSpecification): number => {
  const at = long.findIndex((part) => moduleId.includes(part))
  const own: Project | null = projectOf(relative(root, moduleId))
  const within = at < 0 ? long.length + order.indexOf(own ?? project.name) : at
  return order.indexOf(project.name) * (long.length + order.length) + within
}

export default class Longest extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const others = await super.sort(files)
    return others.toSorted((one, other) => rank(one) - rank(other))
  }
}
