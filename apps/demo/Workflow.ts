/**
 * The demo workflow: signs in unless the session of the last run is still valid, collects the orders of a status over all
 * pages, and reads the newest of them in detail.
 */
import type { WorkflowNode, WorkflowToSave } from "../api/Client.ts"

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

const ids = {
  start: id(1),
  still: id(2),
  user: id(3),
  password: id(4),
  signIn: id(5),
  inside: id(6),
  mailed: id(7),
  mailedCode: id(8),
  asked: id(9),
  code: id(10),
  entered: id(11),
  filter: id(12),
  show: id(13),
  rows: id(14),
  more: id(15),
  next: id(16),
  first: id(17),
  detail: id(18),
  picture: id(19),
  end: id(20)
}

const text = { type: "string" } as const
const number = { type: "number" } as const

/** The content of the page after the password. */
const asked = "//p[@id='asked']/@data-asked"
const table = "//table[@id='orders']"

/** Types a code of the credential, and waits for the page that follows. */
const code = (node: string, name: string, tfa_type: "AUTHENTICATOR" | "EMAIL"): WorkflowNode => ({
  id: node,
  name,
  action: "TFA",
  parameters: { tfa_type, credential: "MARLOW", selector: "//input[@id='code']" }
})

const inputSchema = {
  type: "object",
  properties: { status: { ...text, enum: ["open", "shipped", "cancelled"] } },
  required: ["status"],
  additionalProperties: false
}

const outputSchema = {
  type: "object",
  properties: {
    orders: {
      type: "array",
      items: {
        type: "object",
        properties: { number: text, date: text, customer: text, total: number },
        required: ["number", "date", "customer", "total"]
      }
    },
    newest: {
      type: "object",
      properties: {
        number: text,
        customer: text,
        city: text,
        total: number,
        lines: {
          type: "array",
          items: { type: "object", properties: { article: text, quantity: number, price: number } }
        }
      }
    }
  },
  required: ["orders", "newest"]
}

/** Opens the site and signs in, unless the session of the last run is still valid. */
const signIn = (site: string): ReadonlyArray<WorkflowNode> => [
  { id: ids.start, name: "Open the site", action: "START", parameters: { url: `${site}/orders` } },
  {
    id: ids.still,
    name: "Still signed in?",
    action: "BOOL_CONDITION",
    parameters: {
      execution: "STATIC",
      comparison_operator: "EQUAL",
      comparison_value_1: "<<xpath://h1>>",
      comparison_value_2: "Orders"
    }
  },
  {
    id: ids.user,
    name: "Type the user name",
    action: "INPUT_TEXT",
    parameters: { selector: "//input[@id='user']", text: "{{context.inputs.MARLOW.USER_NAME}}" }
  },
  {
    id: ids.password,
    name: "Type the password",
    action: "INPUT_TEXT",
    parameters: { selector: "//input[@id='password']", text: "{{context.inputs.MARLOW.PASSWORD}}" }
  },
  {
    id: ids.signIn,
    name: "Sign in",
    action: "CLICK",
    parameters: { execution: "STATIC", selector: "//button[@id='sign-in']" }
  },
  {
    id: ids.inside,
    name: "Signed in?",
    action: "BOOL_CONDITION",
    parameters: {
      execution: "STATIC",
      comparison_operator: "EQUAL",
      comparison_value_1: `<<xpath:${table}/@id | ${asked}>>`,
      comparison_value_2: "orders",
      wait_time: 3_000
    }
  },
  {
    id: ids.mailed,
    name: "Was a code mailed?",
    action: "BOOL_CONDITION",
    parameters: {
      execution: "STATIC",
      comparison_operator: "EQUAL",
      comparison_value_1: `<<xpath:${asked}>>`,
      comparison_value_2: "mail"
    }
  },
  code(ids.mailedCode, "Type the mailed code", "EMAIL"),
  {
    id: ids.asked,
    name: "Is a code asked for?",
    action: "BOOL_CONDITION",
    parameters: {
      execution: "STATIC",
      comparison_operator: "IS_NOT_NULL",
      comparison_value_1: `<<xpath:${asked}>>`,
      error_on_false_message: "The site did not let us in: check the user name and the password"
    }
  },
  code(ids.code, "Type the code", "AUTHENTICATOR"),
  {
    id: ids.entered,
    name: "Let in?",
    action: "BOOL_CONDITION",
    parameters: {
      execution: "STATIC",
      comparison_operator: "IS_NOT_NULL",
      comparison_value_1: `<<xpath:${table}>>`,
      wait_time: 3_000,
      error_on_false_message: "The site did not let us in: check the second factor"
    }
  }
]

/** Collects the orders of a status from all pages. */
const collect: ReadonlyArray<WorkflowNode> = [
  {
    id: ids.filter,
    name: "Choose the status",
    action: "INPUT_SELECT",
    parameters: { selector: "//select[@id='status']", value: "{{context.inputs.status}}" }
  },
  {
    id: ids.show,
    name: "Show them",
    action: "CLICK",
    parameters: { execution: "STATIC", selector: "//button[@id='filter']" }
  },
  {
    id: ids.rows,
    name: "Read the orders of the page",
    action: "EXTRACT_DATAMODEL",
    parameters: {
      execution: "STATIC",
      selector: "//table[@id='orders']",
      extract_data_model: {
        type: "object",
        properties: {
          orders: {
            type: "array",
            path: "//table[@id='orders']/tbody/tr",
            selected: true,
            items: {
              type: "object",
              properties: {
                number: { ...text, path: "/td[1]/a", selected: true },
                date: { ...text, path: "/td[2]", selected: true },
                customer: { ...text, path: "/td[3]", selected: true },
                total: { ...number, path: "/td[5]", selected: true }
              }
            }
          }
        }
      }
    }
  },
  {
    id: ids.more,
    name: "Another page?",
    action: "BOOL_CONDITION",
    parameters: {
      execution: "STATIC",
      comparison_operator: "IS_NOT_NULL",
      comparison_value_1: "<<xpath://a[@id='next']>>"
    }
  },
  {
    id: ids.next,
    name: "Next page",
    action: "CLICK",
    parameters: { execution: "STATIC", selector: "//a[@id='next']" }
  }
]

/** Reads the newest order in detail. */
const readNewest = (site: string): ReadonlyArray<WorkflowNode> => [
  {
    id: ids.first,
    name: "Open the newest order",
    action: "NAVIGATE",
    parameters: { url: `${site}/orders/{{context.orders[0].number}}` }
  },
  {
    id: ids.detail,
    name: "Read the order",
    action: "EXTRACT_DATAMODEL",
    parameters: {
      execution: "STATIC",
      selector: "//table[@id='lines'][@data-loaded]",
      extract_data_model: {
        type: "object",
        properties: {
          newest: {
            type: "object",
            selected: true,
            properties: {
              number: { ...text, path: "//h1[@id='number']" },
              customer: { ...text, path: "//dd[@id='customer']" },
              city: { ...text, path: "//dd[@id='city']" },
              total: { ...number, path: "//dd[@id='total']" },
              lines: {
                type: "array",
                path: "//table[@id='lines']/tbody/tr",
                items: {
                  type: "object",
                  properties: {
                    article: { ...text, path: "/td[1]" },
                    quantity: { ...number, path: "/td[2]" },
                    price: { ...number, path: "/td[3]" }
                  }
                }
              }
            }
          }
        }
      }
    }
  },
  { id: ids.picture, name: "Take a picture", action: "SCREENSHOT", parameters: { metadata: { purpose: "demo" } } },
  { id: ids.end, name: "Done", action: "END", parameters: {} }
]

const edges = {
  [ids.start]: { to: ids.still },
  [ids.still]: { true: ids.filter, false: ids.user },
  [ids.user]: { to: ids.password },
  [ids.password]: { to: ids.signIn },
  [ids.signIn]: { to: ids.inside },
  [ids.inside]: { true: ids.filter, false: ids.mailed },
  [ids.mailed]: { true: ids.mailedCode, false: ids.asked },
  [ids.asked]: { true: ids.code, false: ids.end },
  [ids.mailedCode]: { to: ids.entered },
  [ids.code]: { to: ids.entered },
  [ids.entered]: { true: ids.filter, false: ids.end },
  [ids.filter]: { to: ids.show },
  [ids.show]: { to: ids.rows },
  [ids.rows]: { to: ids.more },
  [ids.more]: { true: ids.next, false: ids.first },
  [ids.next]: { to: ids.rows },
  [ids.first]: { to: ids.detail },
  [ids.detail]: { to: ids.picture },
  [ids.picture]: { to: ids.end }
}

/** The body that saves the workflow for the demo site at `site`, its origin. */
export const demoWorkflow = (site: string) =>
  ({
    name: "Open orders of Marlow Wholesale",
    description: "Signs in, collects the orders of a status from all pages, and reads the newest of them in detail",
    version_note: "The demo of this installation",
    max_retries: 1,
    input_schema: inputSchema,
    output_schema: outputSchema,
    vault_schema: { MARLOW: { type: "credential", domain: site } },
    nodes: [...signIn(site), ...collect, ...readNewest(site)],
    edges
  }) satisfies WorkflowToSave
