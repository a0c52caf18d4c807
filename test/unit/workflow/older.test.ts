import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ComponentCheck from "../../../core/workflow/component/ComponentCheck.ts"
import * as Legacy from "../../../core/workflow/Legacy.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { graphOf } from "../../support/browser.ts"

describe("the parameters that START has in older workflows", () => {
  const older = {
    url: "https://shop.example/",
    video_record_session: true,
    store_downloaded_files: false,
    input_variables: { $user: "ada", city: "Bonn" },
    popup_xpaths: ["//button[@id='close']"],
    extract_network_urls: ["/api/"]
  }
  const save = (parameters: object, more: object = {}) => {
    const { edges, nodes } = graphOf("https://shop.example/", [
      { action: "INPUT_TEXT", parameters: { selector: "//input[@id='a']", text: "{{context.inputs.city}}" } }
    ])
    const input_schema = { type: "object", properties: {}, additionalProperties: false }
    return SaveBody.read(
      {
        name: "w",
        nodes: nodes.map((one, at) => (at === 0 ? { ...one, parameters } : one)),
        edges,
        input_schema,
        ...more
      },
      0
    )
  }

  it("are settings and inputs of the workflow", () => {
    const { content, problems } = save(older)
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(content.settings, {
      video_record_session: true,
      popup_xpaths: ["//button[@id='close']"],
      enable_popup_handling: true,
      extract_network_urls: ["/api/"],
      enable_network_listener: true
    })
    assert.deepStrictEqual(Legacy.defaultInputs(content.nodes), { user: "ada", city: "Bonn" })
    assert.isFalse(Legacy.storesFiles(content.nodes))
    assert.deepStrictEqual(SaveBody.warnings(content), [])
  })

  it("do not replace what the workflow says itself, and change nothing when they are absent", () => {
    const own = { video_record_session: false, popup_xpaths: [], enable_network_listener: false }
    assert.deepStrictEqual(save(older, own).content.settings, {
      ...own,
      extract_network_urls: ["/api/"]
    })
    const { content, problems } = save({ url: older.url })
    assert.deepStrictEqual([content.settings, Legacy.storesFiles(content.nodes)], [{}, true])
    assert.deepStrictEqual(
      problems.map(({ path }) => path),
      ["nodes[1].parameters.text"]
    )
  })
})

describe("a component", () => {
  const node = {
    id: "00000000-0000-4000-8000-000000000001",
    name: "Go",
    action: "CLICK",
    parameters: { selector: "//a[@id='go']" }
  }
  const edges = { [node.id]: { to: null } }
  const position = { x: 1, y: 2 }

  it("is taken in both published forms, and is the same then", () => {
    const usual = { nodes: [{ workflowNode: node, position }], workflowEdges: edges }
    const plain = { nodes: [{ ...node, position }], edges }
    const read = ComponentCheck.read(plain, "componentData")
    assert.isTrue(Result.isSuccess(read))
    assert.deepStrictEqual(read, ComponentCheck.read(usual, "componentData"))
  })

  it("is refused with paths of the form in which it was sent", () => {
    const plain = { nodes: [{ ...node, parameters: {} }], edges: { [node.id]: { to: "nowhere" } } }
    const read = ComponentCheck.read(plain, "componentData")
    assert.deepStrictEqual(Result.isFailure(read) && read.failure.map(({ path }) => path), [
      "componentData.nodes[0].parameters.selector",
      `componentData.edges.${node.id}.to`
    ])
  })
})
