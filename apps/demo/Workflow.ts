/**
 * The demo workflow: signs in, collects the open orders over all pages, and looks up the first of them.
 */

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

const ids = {
  start: id(1),
  user: id(2),
  password: id(3),
  signIn: id(4),
  signedIn: id(5),
  filter: id(6),
  show: id(7),
  rows: id(8),
  more: id(9),
  next: id(10),
  first: id(11),
  detail: id(12),
  picture: id(13),
  refused: id(14),
  end: id(15)
}

const text = { type: "string" } as const
const number = { type: "number" } as const

/** The body that saves the workflow. */
export const demoWorkflow = {
  name: "Open orders of Marlow Wholesale",
  description: "Signs in, collects the open orders from all pages, and reads the newest of them in detail",
  version_note: "The demo of this installation",
  max_retries: 1,
  input_schema: {
    type: "object",
    properties: { site: text, user: text, password: text, status: { ...text, enum: ["open", "shipped", "cancelled"] } },
    required: ["site", "user", "password", "status"],
    additionalProperties: false
  },
  output_schema: {
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
  },
  vault_schema: {},
  nodes: [
    { id: ids.start, name: "Open the site", action: "START", parameters: { url: "{{context.inputs.site}}/login" } },
    {
      id: ids.user,
      name: "Type the user name",
      action: "INPUT_TEXT",
      parameters: { execution: "STATIC", selector: "//input[@id='user']", text: "{{context.inputs.user}}" }
    },
    {
      id: ids.password,
      name: "Type the password",
      action: "INPUT_TEXT",
      parameters: { execution: "STATIC", selector: "//input[@id='password']", text: "{{context.inputs.password}}" }
    },
    {
      id: ids.signIn,
      name: "Sign in",
      action: "CLICK",
      parameters: { execution: "STATIC", selector: "//button[@id='sign-in']" }
    },
    {
      id: ids.signedIn,
      name: "Signed in?",
      action: "BOOL_CONDITION",
      parameters: {
        execution: "STATIC",
        comparison_operator: "EQUAL",
        comparison_value_1: "<<xpath://h1>>",
        comparison_value_2: "Orders"
      }
    },
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
    },
    {
      id: ids.first,
      name: "Open the newest order",
      action: "NAVIGATE",
      parameters: { url: "{{context.inputs.site}}/orders/{{context.orders[0].number}}" }
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
    {
      id: ids.refused,
      name: "Wait for the orders page",
      action: "BOOL_CONDITION",
      parameters: {
        execution: "STATIC",
        comparison_operator: "IS_NOT_NULL",
        comparison_value_1: "<<xpath://table[@id='orders']>>",
        wait_time: 3_000,
        error_on_false_message: "The site did not let us in: check the user name and the password"
      }
    },
    { id: ids.end, name: "Done", action: "END", parameters: {} }
  ],
  edges: {
    [ids.start]: { to: ids.user },
    [ids.user]: { to: ids.password },
    [ids.password]: { to: ids.signIn },
    [ids.signIn]: { to: ids.signedIn },
    [ids.signedIn]: { true: ids.filter, false: ids.refused },
    [ids.refused]: { true: ids.filter, false: ids.end },
    [ids.filter]: { to: ids.show },
    [ids.show]: { to: ids.rows },
    [ids.rows]: { to: ids.more },
    [ids.more]: { true: ids.next, false: ids.first },
    [ids.next]: { to: ids.rows },
    [ids.first]: { to: ids.detail },
    [ids.detail]: { to: ids.picture },
    [ids.picture]: { to: ids.end }
  }
}
