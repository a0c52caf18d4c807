/** The description of the interface is kept in the repository, so that a change of the interface is a line in review. */
import { expect, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { Api } from "../../apps/api/Api.ts"

it("the description is the one that is kept; `npm run test:http -- description -u` keeps a new one", async () => {
  await expect(`${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`).toMatchFileSnapshot("./openapi.json")
})
