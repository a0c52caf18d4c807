/** Roundcube of Debian on Dovecot: lists that scripts draw, messages and contacts in frames, dragging between folders. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { once } from "node:events"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text as wholeText } from "node:stream/consumers"
import type { Page } from "playwright-core"
import { SMTPServer } from "smtp-server"
import { click, press, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import * as Dovecot from "./Dovecot.ts"
import { debian } from "./Packages.ts"
import * as Php from "./Php.ts"
import { type SignedInTask, type SignIn, withSignIn } from "./SignIn.ts"

const version = "1.6.5+dfsg-1+deb12u13"

const scripts = ["bootstrap4", "codemirror", "jquery", "jquery-minicolors", "jquery-ui", "jstimezonedetect"]

const libraries = ["pear", "auth-sasl", "mail-mime", "net-smtp", "net-socket", "net-sieve", "masterminds-html5"]

const others = [
  "php8.2-intl",
  "php8.2-sqlite3",
  ...scripts.map((name) => `libjs-${name}`),
  ...libraries.map((name) => `php-${name}`)
]

const user = { name: "ada", password: "engine-1843", address: "ada@example.com" }

const settings = (state: string, imapPort: number, smtpPort: number) => `<?php
$config['db_dsnw'] = 'sqlite:///${state}/roundcube.db?mode=0600';
$config['session_storage'] = 'php';
$config['imap_host'] = '127.0.0.1:${imapPort}';
$config['smtp_host'] = '127.0.0.1:${smtpPort}';
$config['smtp_user'] = '';
$config['smtp_pass'] = '';
$config['mail_domain'] = 'example.com';
$config['des_key'] = 'a key of this bench only';
$config['log_dir'] = '${state}/logs/';
$config['temp_dir'] = '${state}/temp/';
$config['language'] = 'en_US';
$config['enable_spellcheck'] = false;
$config['mail_pagesize'] = 10;
$config['plugins'] = [];
`

/** One account with its identity, and two contacts. */
const content = `
delete from contacts; delete from identities; delete from users; delete from collected_addresses;
insert into users (user_id, username, mail_host, language) values (1, '${user.name}', '127.0.0.1', 'en_US');
insert into identities (user_id, standard, name, email) values (1, 1, 'Ada', '${user.address}');
insert into contacts (user_id, name, firstname, surname, email, vcard, words) values
  (1, 'Charles Babbage', 'Charles', 'Babbage', 'charles@example.com', '', 'charles babbage'),
  (1, 'Mary Somerville', 'Mary', 'Somerville', 'mary@example.com', '', 'mary somerville');
`

const mail = (subject: string, body: string, minute: number, type = "text/plain; charset=utf-8"): string =>
  [
    "From: Charles <charles@example.com>",
    `To: Ada <${user.address}>`,
    `Subject: ${subject}`,
    `Date: ${new Date(Date.UTC(2026, 0, 5, 8, minute)).toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${minute}@example.com>`,
    "MIME-Version: 1.0",
    `Content-Type: ${type}`,
    "",
    body,
    ""
  ].join("\r\n")

const withFile = [
  "--part",
  "Content-Type: text/plain; charset=utf-8",
  "",
  "The grain is in the file.",
  "--part",
  'Content-Type: application/octet-stream; name="grain.bin"',
  'Content-Disposition: attachment; filename="grain.bin"',
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("grain by grain").toString("base64"),
  "--part--"
].join("\r\n")

/** The subjects of the messages, oldest first. */
const grains = Array.from({ length: 24 }, (_, index) => `Grain ${index + 1}`)
const subjects = [...grains, "Harvest", "Sheaf"]

const messages = [
  ...grains.map((subject, index) => mail(subject, index % 8 === 0 ? "About barley." : "About rye.", index)),
  mail("Harvest", "How much grain was threshed?", 30),
  mail("Sheaf", withFile, 31, 'multipart/mixed; boundary="part"')
]

const signIn: SignIn = {
  user,
  name: "rcmloginuser",
  password: "rcmloginpwd",
  button: { tag: "button", id: "rcmloginsubmit" }
}

const shown = texts("//table[@id='messagelist']/tbody/tr//td[@class='subject']/span[@class='subject']/a")

const shownByHand = (page: Page) => page.locator("#messagelist tbody tr td.subject > span.subject > a").allInnerTexts()

const counted = (words: string) => `//*[@id='rcmcountdisplay'][contains(., '${words}')]`

const countedByHand = (page: Page, words: string) => page.locator("#rcmcountdisplay", { hasText: words }).waitFor()

const message = (subject: string) => `//table[@id='messagelist']/tbody/tr[.//span[@class='subject'][.='${subject}']]`

const messageByHand = (page: Page, subject: string) =>
  page.locator("#messagelist tbody tr", { has: page.getByText(subject, { exact: true }) })

const inMessage = (path: string) => `//iframe[@id='messagecontframe']${path}`

const inContact = (path: string) => `//iframe[@id='contact-frame']${path}`

/** The page of a message that was sent leads to the list. */
const send = [
  click("//button[contains(@class, 'send')]"),
  read({ folder: text("//li[contains(@class, 'selected')]/a[@rel]") }, counted("1 to 10"))
]

const sendByHand = async (page: Page) => {
  await page.locator("button.send").click()
  await countedByHand(page, "1 to 10")
  return null
}

const written = [
  type("//div[@id='compose_to']//ul[contains(@class, 'recipient-input')]//input", "charles@example.com"),
  type("//input[@id='compose-subject']", "Rye and oats"),
  type("//textarea[@id='composebody']", "Both are dry.\nBring sacks.")
]

const writtenByHand = async (page: Page) => {
  await page.locator("#compose_to ul.recipient-input input").fill("charles@example.com")
  await page.locator("#compose-subject").fill("Rye and oats")
  await page.locator("#composebody").fill("Both are dry.\nBring sacks.")
}

interface Post {
  readonly to: ReadonlyArray<string>
  readonly text: string
}

/** Takes every mail that it is sent, and keeps it. */
const servePost = async () => {
  const posts: Array<Post> = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: (stream, { envelope }, done) => {
      wholeText(stream).then(
        (text) => {
          posts.push({ to: envelope.rcptTo.map(({ address }) => address), text })
          done()
        },
        (error: Error) => done(error)
      )
    }
  })
  const listening = server.listen(0, "127.0.0.1")
  await once(listening, "listening")
  const at = listening.address()
  return {
    posts,
    port: at !== null && typeof at === "object" ? at.port : 0,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

export const application: Application = {
  name: "Roundcube",
  version,
  start: async (folder, files) => {
    const root = await debian(folder, "roundcube-core", version, [...Php.packages, ...others])
    const state = await mkdtemp(join(tmpdir(), "sluice-roundcube-"))
    const mailboxes = await Dovecot.start(folder, user)
    const post = await servePost()
    // A site of its own, of links to the files of the package.
    const [site, program] = [join(state, "site"), join(root, "usr/share/roundcube")]
    for (const name of ["site", "logs", "temp", "config"]) await mkdir(join(state, name))
    for (const name of ["SQL", "index.php", "plugins", "program", "skins"])
      await symlink(join(program, name), join(site, name))
    for (const name of ["defaults.inc.php", "mimetypes.php"])
      await symlink(join(root, "etc/roundcube", name), join(state, "config", name))
    await writeFile(join(state, "config/config.inc.php"), settings(state, mailboxes.port, post.port))
    await writeFile(
      join(state, "before.php"),
      `<?php define('INSTALL_PATH', '${site}/'); define('RCMAIL_CONFIG_DIR', '${state}/config');`
    )
    const database = new DatabaseSync(join(state, "roundcube.db"))
    database.exec(await readFile(join(program, "SQL/sqlite.initial.sql"), "utf8"))
    const server = await Php.serve(root, state, site, "/index.php")
    const { origin } = server
    const prepare = async () => {
      database.exec(content)
      post.posts.length = 0
      await mailboxes.fill(messages)
    }
    const subjectsIn = async (mailbox: string) =>
      (await mailboxes.stored(mailbox)).map((one) => /^Subject: (.*?)\r?$/m.exec(one)?.[1] ?? "")
    // Scripts of the application enable the buttons of other pages by their ids, so those are not among the targets.
    /** A task that begins with signing in, which leads to a page. */
    const at = (query: string, task: Omit<SignedInTask, "prepare" | "url">): Task =>
      withSignIn(signIn, { ...task, prepare, url: `${origin}/?${query}` })
    const list = "_task=mail&_mbox=INBOX"
    const newest = [...subjects].reverse()

    const tasks: ReadonlyArray<Task> = [
      at(list, {
        name: "sign in",
        targets: [],
        moves: [read({ user: text("//span[contains(@class, 'username')]") }, "//span[contains(@class, 'username')]")],
        byHand: async (page) => ({ user: (await page.locator("span.username").innerText()).trim() }),
        verify: async (read) => deepStrictEqual(read, { user: user.address })
      }),
      at("_task=mail&_action=compose", {
        name: "write and send",
        targets: ["#compose-subject"],
        moves: [...written, ...send],
        byHand: async (page) => {
          await writtenByHand(page)
          return await sendByHand(page)
        },
        verify: async () => {
          const [one, ...more] = post.posts
          deepStrictEqual([one?.to, more.length], [["charles@example.com"], 0])
          ok(
            one?.text.includes("Subject: Rye and oats") && /Both are dry\.\r?\nBring sacks\./.test(one.text),
            one?.text
          )
          deepStrictEqual(await subjectsIn("Sent"), ["Rye and oats"])
        }
      }),
      at(list, {
        name: "read",
        moves: [
          click(`${message("Harvest")}//span[@class='subject']/a`),
          read({ body: text(inMessage("//div[@id='messagebody']")) }, inMessage("//div[@id='messagebody']"))
        ],
        byHand: async (page) => {
          await messageByHand(page, "Harvest").locator("span.subject > a").click()
          const body = page.frameLocator("#messagecontframe").locator("#messagebody")
          return { body: (await body.innerText()).trim() }
        },
        verify: async (read) => deepStrictEqual(read, { body: "How much grain was threshed?" })
      }),
      at(list, {
        name: "search",
        moves: [
          // The page takes no search before its list is there.
          read({}, counted("1 to 10")),
          type("//input[@id='mailsearchform']", "Grain 2"),
          press("{{enter}}"),
          read({ found: shown }, counted("of 6"))
        ],
        byHand: async (page) => {
          await countedByHand(page, "1 to 10")
          await page.locator("#mailsearchform").fill("Grain 2")
          await page.keyboard.press("Enter")
          await countedByHand(page, "of 6")
          return { found: await shownByHand(page) }
        },
        verify: async (read) =>
          deepStrictEqual(read, { found: newest.filter((subject) => subject.startsWith("Grain 2")) })
      }),
      at(list, {
        name: "page through",
        moves: [
          read({ all: shown }, counted("1 to 10")),
          click("//a[contains(@class, 'nextpage')]"),
          read({ all: shown }, counted("11 to 20")),
          click("//a[contains(@class, 'nextpage')]"),
          read({ all: shown }, counted("21 to 26"))
        ],
        byHand: async (page) => {
          const all: Array<string> = []
          for (const words of ["1 to 10", "11 to 20", "21 to 26"]) {
            await countedByHand(page, words)
            all.push(...(await shownByHand(page)))
            if (words !== "21 to 26") await page.locator("a.nextpage").click()
          }
          return { all }
        },
        verify: async (read) => deepStrictEqual(read, { all: newest })
      }),
      at("_task=mail&_action=compose", {
        name: "upload",
        targets: ["#compose-subject"],
        moves: [
          ...written,
          step("FILE_UPLOAD", {
            signed_file_url: files.offer("sheaf.zip", "a sheaf of rye"),
            file_name: "sheaf.zip",
            selector: "//input[@type='file']"
          }),
          read(
            { file: text("//ul[@id='attachment-list']/li//*[contains(@class, 'attachment-name')]") },
            "//ul[@id='attachment-list']/li[not(contains(@class, 'uploading'))]"
          ),
          ...send
        ],
        byHand: async (page) => {
          await writtenByHand(page)
          const buffer = Buffer.from("a sheaf of rye")
          await page
            .locator("input[type=file]")
            .setInputFiles({ name: "sheaf.zip", mimeType: "application/zip", buffer })
          await page.locator("#attachment-list li:not(.uploading)").waitFor()
          return await sendByHand(page)
        },
        verify: async () => {
          const [one] = post.posts
          ok(one?.text.includes(Buffer.from("a sheaf of rye").toString("base64")), one?.text.slice(0, 3_000))
          strictEqual((await mailboxes.stored("Sent")).length, 1)
        }
      }),
      at(list, {
        name: "download",
        moves: [
          click(`${message("Sheaf")}//span[@class='subject']/a`),
          click(inMessage("//ul[@id='attachment-list']//a[contains(@class, 'filename')]")),
          step("FILE_DOWNLOAD", { metadata: {} })
        ],
        byHand: async (page) => {
          await messageByHand(page, "Sheaf").locator("span.subject > a").click()
          const link = page.frameLocator("#messagecontframe").locator("#attachment-list a.filename")
          const [download] = await Promise.all([page.waitForEvent("download"), link.click()])
          return { files: [await readFile(await download.path(), "utf8")] }
        },
        verify: async (read) => deepStrictEqual(read, { files: ["grain by grain"] })
      }),
      at("_task=addressbook", {
        name: "edit a contact",
        targets: ["#ff_surname"],
        moves: [
          click("//table[@id='contacts-table']//tr[contains(., 'Charles')]/td[@class='name']"),
          click(inContact("//button[contains(@class, 'edit')]")),
          type(inContact("//input[@id='ff_surname']"), "Wheatstone"),
          click(inContact("//button[contains(@class, 'submit')]")),
          read(
            { name: text("//table[@id='contacts-table']//tr[contains(., 'Wheatstone')]/td[@class='name']") },
            "//table[@id='contacts-table']//tr[contains(., 'Wheatstone')]"
          )
        ],
        byHand: async (page) => {
          await page.locator("#contacts-table tr", { hasText: "Charles" }).locator("td.name").click()
          const frame = page.frameLocator("#contact-frame")
          await frame.locator("button.edit").click()
          await frame.locator("#ff_surname").fill("Wheatstone")
          await frame.locator("button.submit").click()
          await page.locator("#contacts-table tr", { hasText: "Wheatstone" }).waitFor()
          return null
        },
        verify: async () =>
          deepStrictEqual(
            database
              .prepare("select firstname, surname, email from contacts where del = 0 order by contact_id")
              .all()
              .map((row) => Object.values(row)),
            [
              ["Charles", "Wheatstone", "charles@example.com"],
              ["Mary", "Somerville", "mary@example.com"]
            ]
          )
      }),
      at(list, {
        name: "drag to a folder",
        moves: [
          read({}, counted("1 to 10")),
          step("DRAG", {
            selector: `${message("Grain 20")}//span[@class='subject']`,
            to_selector: "//ul[@id='mailboxlist']//a[@rel='Archive']"
          }),
          read({ count: text(counted("of 25")) }, counted("of 25"))
        ],
        byHand: async (page) => {
          await countedByHand(page, "1 to 10")
          await messageByHand(page, "Grain 20").locator("span.subject").first().hover()
          await page.mouse.down()
          const goal = await page.locator("#mailboxlist a[rel=Archive]").boundingBox()
          const [x, y] = [(goal?.x ?? 0) + (goal?.width ?? 0) / 2, (goal?.y ?? 0) + (goal?.height ?? 0) / 2]
          await page.mouse.move(x, y, { steps: 10 })
          await page.mouse.up()
          await countedByHand(page, "of 25")
          return null
        },
        verify: async () => {
          deepStrictEqual(await subjectsIn("Archive"), ["Grain 20"])
          strictEqual((await mailboxes.stored("INBOX")).length, subjects.length - 1)
        }
      }),
      at(list, {
        name: "delete",
        targets: [],
        moves: [
          click(`${message("Grain 19")}//span[@class='subject']/a`),
          // The page ignores commands while it loads a message.
          read({}, inMessage("//div[@id='messagebody']")),
          click("//div[@id='layout-content']/div[contains(@class, 'header')]//a[@class='delete']"),
          read({ count: text(counted("of 25")) }, counted("of 25"))
        ],
        byHand: async (page) => {
          await messageByHand(page, "Grain 19").locator("span.subject > a").click()
          await page.frameLocator("#messagecontframe").locator("#messagebody").waitFor()
          await page.locator("#layout-content > .header a.delete:not(.disabled)").click()
          await countedByHand(page, "of 25")
          return null
        },
        verify: async () => {
          deepStrictEqual(await subjectsIn("Trash"), ["Grain 19"])
          ok(!(await subjectsIn("INBOX")).includes("Grain 19"))
        }
      })
    ]
    return {
      origin,
      tasks,
      alteredAfterScripts: true,
      stop: async () => {
        await server.stop()
        await post.stop()
        database.close()
        await mailboxes.stop()
        await rm(state, { recursive: true, force: true })
      }
    }
  }
}
