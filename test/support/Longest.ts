/**
 * The order in which test files run: project by project, because a worker keeps its modules and its browser only for files
 * of one project, and those that take long first, so that none is left alone at the end.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"
import type { Project } from "../projects.ts"

const order: ReadonlyArray<Project> = ["e2e", "browser", "http", "contract", "timing", "unit"]

/** The tests that take long on every machine within their project: whole browsers and processes. */
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
