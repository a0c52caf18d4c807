/**
 * The order in which files of tests are run: those that take long first, so that none is left alone at the end.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What takes long on every machine: whole browsers, and processes that start anew. */
const long = [
  "test/gauntlet/",
  "test/agent/hostile.",
  "test/e2e/",
  "test/leaks/",
  "test/model/",
  "test/agent/recovery/browser.",
  "test/agent/",
  "test/api/",
  "test/mail/",
  "test/contract/"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const at = long.findIndex((part) => moduleId.includes(part))
  return at < 0 ? long.length : at
}

export default class Longest extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const others = await super.sort(files)
    return others.toSorted((one, other) => rank(one) - rank(other))
  }
}
