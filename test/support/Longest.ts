/**
 * The order of test files: project by project, because a worker keeps its modules and its browser only for files of one
 * project, and long files first, so that none runs alone at the end.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"
import type { Project } from "../projects.ts"

const order: ReadonlyArray<Project> = ["e2e", "browser", "http", "contract", "timing", "unit"]

/** The files with long tests on every machine, within their project: whole browsers and processes. */
const long = ["test/gauntlet/", "test/agent/hostile.", "test/leaks/", "test/agent/recovery/browser.", "test/mail/"]

/** Files of a lower rank run first. */
export const rank = ({ moduleId, project }: TestSpecification): number => {
  const at = long.findIndex((part) => moduleId.includes(part))
  const place = order.indexOf(project.name as Project)
  return place * (long.length + 1) + (at < 0 ? long.length : at)
}

export default class Longest extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const others = await super.sort(files)
    return others.toSorted((one, other) => rank(one) - rank(other))
  }
}
