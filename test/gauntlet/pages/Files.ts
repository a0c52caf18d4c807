/** Files that come and go. */
import { challenge } from "../Challenge.ts"
import { page, redirect, result } from "../Html.ts"
import { click, read, step, text, type } from "../Workflow.ts"

const download = (more: Readonly<Record<string, unknown>> = {}) =>
  step("FILE_DOWNLOAD", { metadata: {}, selector: "//body", timeout_seconds: 20, ...more })

const upload = (more: Readonly<Record<string, unknown>> = {}) =>
  step("FILE_UPLOAD", { signed_file_url: "{{window.location.href}}letter.txt", ...more })

const attachment = (body: string, name: string) => ({
  headers: { "content-type": "application/octet-stream", "content-disposition": `attachment; filename="${name}"` },
  body
})

const letter = { headers: { "content-type": "text/plain" }, body: "Dear Ada" }

/** The smallest document of one empty page. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj
trailer<</Root 1 0 R>>
%%EOF`

const received = `const show = async (file) => say(file.name + ": " + await file.text())`

export const challenges = [
  challenge({
    name: "download by link",
    difficulty: "The link answers with a file that takes a while, instead of a page.",
    routes: {
      "": page(`<h1>Reports</h1><a href="report">Report</a>`),
      report: { ...attachment("a;b\n1;2\n", "report.csv"), after: 150 }
    },
    workflow: [click("//a"), download({ metadata: { kind: "report" } }), read({ title: text("//h1") })],
    expected: { title: "Reports" },
    files: [["report.csv", "a;b\n1;2\n"]]
  }),
  challenge({
    name: "download of a blob",
    difficulty: "The file is made in the page and offered by a link that is there for a moment only.",
    routes: {
      "": page(
        `<button>Export</button>${result}`,
        `$("button").onclick = () => setTimeout(() => {
          const link = document.createElement("a")
          link.href = URL.createObjectURL(new Blob(["made here"], { type: "text/plain" }))
          link.download = "export.txt"
          link.click()
          URL.revokeObjectURL(link.href)
          say("exported")
        }, 100)`
      )
    },
    workflow: [click("//button"), download(), read({ result: text("//*[@id='result']") })],
    expected: { result: "exported" },
    files: [["export.txt", "made here"]]
  }),
  challenge({
    name: "download from the address itself",
    difficulty: "The whole file stands in the address of the link.",
    routes: {
      "": page(`<a download="note.txt" href="data:text/plain;base64,SGVsbG8=">Note</a>`)
    },
    workflow: [click("//a"), download(), read({ link: text("//a") })],
    expected: { link: "Note" },
    files: [["note.txt", "Hello"]]
  }),
  challenge({
    name: "download after redirects",
    difficulty: "The file comes from another address, after a page that makes one wait and a redirect.",
    routes: {
      "": page(`<a href="prepare">Get it</a>`),
      prepare: page(`<h1>Your download will begin</h1>`, `setTimeout(() => { location = "ticket" }, 100)`),
      ticket: redirect("file.bin"),
      "file.bin": attachment("0123456789", "file.bin")
    },
    workflow: [click("//a"), download(), read({ title: text("//h1") })],
    expected: { title: "Your download will begin" },
    files: [["file.bin", "0123456789"]]
  }),
  challenge({
    name: "download by a form",
    difficulty: "The file is the answer to a form that was sent, and made for what was in it.",
    routes: {
      "": page(`<form method="post" action="export"><input name="year"><button>Export</button></form>`),
      export: ({ form, method }) =>
        method === "POST" ? attachment(`year ${form.get("year")}`, `export-${form.get("year")}.txt`) : { status: 405 }
    },
    workflow: [type("//input", "2026"), click("//button"), download(), read({ field: text("//input") })],
    expected: { field: "2026" },
    files: [["export-2026.txt", "year 2026"]]
  }),
  challenge({
    name: "download in a new window",
    difficulty: "The file is opened in a separate window, which closes as soon as the download begins.",
    routes: {
      "": page(`<h1>Bills</h1><a href="bill" target="_blank">Bill</a>`),
      bill: attachment("bill", "bill.txt")
    },
    workflow: [click("//a"), download(), read({ title: text("//h1") }, "//h1[.='Bills']")],
    expected: { title: "Bills" },
    files: [["bill.txt", "bill"]]
  }),
  challenge({
    name: "page to be printed",
    difficulty: "There is no file: what is wanted is the page as it would be printed.",
    routes: { "": page(`<h1>Receipt 9</h1><p>Paid in full</p>`) },
    workflow: [download({ trigger_print: true }), read({ title: text("//h1") })],
    expected: { title: "Receipt 9" },
    files: [["The gauntlet.pdf", "%PDF-"]]
  }),
  challenge({
    name: "button that prints",
    difficulty: "The button asks the browser to print, which would bring up a dialog that belongs to no page.",
    routes: { "": page(`<h1>Receipt 10</h1><button onclick="print()">Print</button>`) },
    workflow: [click("//button"), download(), read({ title: text("//h1") })],
    expected: { title: "Receipt 10" },
    files: [["The gauntlet.pdf", "%PDF-"]]
  }),
  challenge({
    name: "download that may fail",
    difficulty: "The file is sometimes not there, and the run has to go on without it.",
    routes: { "": page(`<h1>Nothing yet</h1><button>Export</button>`) },
    workflow: [
      click("//button"),
      download({ timeout_seconds: 5, continue_on_failed_download: true }),
      read({ title: text("//h1") })
    ],
    expected: { title: "Nothing yet" }
  }),
  challenge({
    name: "upload by the file field",
    difficulty: "The field shows its choice only after it was read.",
    routes: {
      "": page(
        `<input type="file">${result}`,
        `${received}
        $("input").onchange = () => show($("input").files[0])`
      ),
      "letter.txt": letter
    },
    workflow: [
      upload({ selector: "//input[@type='file']", file_name: "letter.txt" }),
      read({ result: text("//*[@id='result']") }, "//*[@id='result'][. != '']")
    ],
    expected: { result: "letter.txt: Dear Ada" }
  }),
  challenge({
    name: "upload by a picker of the browser",
    difficulty: "A button asks for files without any field for them.",
    routes: {
      "": page(
        `<button>Attach</button>${result}`,
        `${received}
        $("button").onclick = async () => {
          const [picked] = await showOpenFilePicker({ types: [{ accept: { "text/plain": [".txt"] } }] })
          if (!(picked instanceof FileSystemFileHandle) || picked.kind !== "file") return say("no handle")
          show(await picked.getFile())
        }`
      ),
      "letter.txt": letter
    },
    workflow: [
      click("//button"),
      upload({ file_name: "to-ada.txt" }),
      read({ result: text("//*[@id='result']") }, "//*[@id='result'][. != '']")
    ],
    expected: { result: "to-ada.txt: Dear Ada" }
  }),
  ...(["iframe", "embed", "object"] as const).map((tag) =>
    challenge({
      name: `invoice in an element ${tag}`,
      difficulty: "A PDF is shown as a part of a page, by the browser, and nothing offers to save it.",
      routes: {
        "": page(
          `<h1>Invoice</h1><${tag} ${tag === "object" ? "data" : "src"}="invoice.pdf" width="400" height="300"></${tag}>`
        ),
        "invoice.pdf": { headers: { "content-type": "application/pdf" }, body: pdf }
      },
      workflow: [download(), read({ title: text("//h1") })],
      expected: { title: "Invoice" },
      files: [["invoice.pdf", "%PDF-1.4"]]
    })
  ),
  challenge({
    name: "upload by a hidden field",
    difficulty: "The field is hidden, and a button opens the dialog for it.",
    routes: {
      "": page(
        `<input type="file" hidden><button>Attach</button>${result}`,
        `${received}
        $("button").onclick = () => $("input").click()
        $("input").onchange = () => show($("input").files[0])`
      ),
      "letter.txt": letter
    },
    workflow: [
      click("//button"),
      upload({ file_name: "to-ada.txt" }),
      read({ result: text("//*[@id='result']") }, "//*[@id='result'][. != '']")
    ],
    expected: { result: "to-ada.txt: Dear Ada" }
  }),
  challenge({
    name: "upload into a field that is not drawn",
    difficulty:
      "The field is not drawn and takes two kinds of files only, and the step names the field, with no dialog at all.",
    routes: {
      "": page(
        `<label>Attach <input type="file" accept=".txt,.pdf" style="display: none"></label>${result}`,
        `${received}
        $("input").onchange = () => show($("input").files[0])`
      ),
      "letter.txt": letter
    },
    workflow: [
      upload({ selector: "//label/input", file_name: "letter.txt" }),
      read({ result: text("//*[@id='result']") }, "//*[@id='result'][. != '']")
    ],
    expected: { result: "letter.txt: Dear Ada" }
  }),
  challenge({
    name: "upload by a drop zone",
    difficulty: "Files are dropped onto a zone, and a click on it opens the dialog of a field that is made for it.",
    routes: {
      "": page(
        `<div id="zone" style="border: 2px dashed; padding: 30px">Drop files here</div>${result}`,
        `${received}
        $("#zone").onclick = () => {
          const field = document.createElement("input")
          field.type = "file"
          field.multiple = true
          field.onchange = () => show(field.files[0])
          field.click()
        }`
      ),
      "letter.txt": letter
    },
    workflow: [
      click("//*[@id='zone']"),
      upload({ file_name: "letter.txt" }),
      read({ result: text("//*[@id='result']") }, "//*[@id='result'][. != '']")
    ],
    expected: { result: "letter.txt: Dear Ada" }
  }),
  challenge({
    name: "upload by a form",
    difficulty: "The file goes to the server with the other fields of its form.",
    routes: {
      "": page(
        `<form method="post" action="send" enctype="multipart/form-data"><input name="to"><input type="file" name="file"><button>Send</button></form>`
      ),
      send: ({ body }) => {
        const sent = body.toString()
        const name = /filename="([^"]*)"/.exec(sent)?.[1]
        return page(`<p id="result">${name} ${sent.includes("Dear Ada")} ${sent.includes("Grace")}</p>`)
      },
      "letter.txt": letter
    },
    workflow: [
      type("//input[@name='to']", "Grace"),
      upload({ selector: "//input[@type='file']", file_name: "letter.txt" }),
      click("//button"),
      read({ result: text("//*[@id='result']") }, "//*[@id='result']")
    ],
    expected: { result: "letter.txt true true" }
  })
]
