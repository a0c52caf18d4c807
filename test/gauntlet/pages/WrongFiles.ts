/** Downloads that are not what their name says: the run fails, and says what came instead. */
import { type Challenge, challenge, failing } from "../Challenge.ts"
import { page } from "../Html.ts"
import { click, step } from "../Workflow.ts"

const expired = "<!doctype html><title>Session expired</title><p>Please sign in again."

/** A link to a file that is sent as a download, with a content that does not fit its name. */
const wrong = (name: string, fileName: string, body: string, saying: string): Challenge =>
  challenge({
    name,
    difficulty: `The site sends ${fileName} with ${body === "" ? "nothing in it" : "something else in it"}.`,
    routes: {
      "": page(`<h1>Documents</h1><a href="file">Download</a>`),
      file: { headers: { "content-disposition": `attachment; filename="${fileName}"` }, body }
    },
    workflow: [click("//a"), step("FILE_DOWNLOAD", { timeout_seconds: 20 })],
    expected: failing("UNEXPECTED_UI_STATE", `${fileName}: ${saying}`)
  })

export const challenges = [
  wrong("empty document", "invoice.pdf", "", "it is empty (0 bytes)"),
  wrong("empty table", "orders.csv", "", "it is empty (0 bytes)"),
  wrong("sign-in page as a document", "invoice.pdf", expired, "it is not a PDF document: it is a page of HTML"),
  wrong("sign-in page as a table", "orders.csv", expired, "it is not a CSV table: it is a page of HTML"),
  wrong("sign-in page as a workbook", "orders.xlsx", expired, "it is not an Excel workbook: it is a page of HTML"),
  wrong("sign-in page as an archive", "all.zip", expired, "it is not a zip file: it is a page of HTML"),
  wrong("sign-in page as a picture", "scan.png", expired, "it is not a PNG picture: it is a page of HTML"),
  wrong("error as a document", "invoice.pdf", `{"error":"not found"}`, "it is not a PDF document: it begins with"),
  wrong("table under the name of an archive", "all.zip", "a;b\n1;2", "it is not a zip file: it begins with"),
  wrong("half of a JSON answer", "orders.json", `[{"id": 1}, {"id`, "it is not JSON: it begins with")
]
