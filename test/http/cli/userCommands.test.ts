import { assert, it } from "@effect/vitest"
import * as Users from "../../../apps/cli/commands/user/Users.ts"

it("a command that does not exist, or that users have, is written wrongly; those of the service fail", () => {
  const paths = [["sluice"], ["sluice", "verify"], ["sluice", "doctor"], ["sluice", "runs", "ls"], ["sluice", "up"]]
  assert.deepStrictEqual(paths.map(Users.isOne), [true, true, true, true, false])
})
