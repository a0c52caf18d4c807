/** WordPress of Debian: its block editor is built by React, its lists and its dashboard by jQuery. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict"
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { choose, click, hover, press, read, step, text, texts, type } from "../../gauntlet/Workflow.ts"
import type { Application, Task } from "./Application.ts"
import * as MariaDb from "./MariaDb.ts"
import { debian } from "./Packages.ts"
import * as Php from "./Php.ts"
import { stopAndRemove } from "./Processes.ts"
import { type SignedInTask, type SignIn, withSignIn } from "./SignIn.ts"

const version = "6.1.9+dfsg1-0+deb12u1"

const others = [
  "wordpress-theme-twentytwentythree",
  "php8.2-gd",
  "php-getid3",
  "libjs-cropper",
  "libjs-underscore",
  "libjs-prototype",
  "libjs-scriptaculous"
]

const { user } = MariaDb

const settings = (site: string, socket: string) => `<?php
define('DB_NAME', 'wordpress');
define('DB_USER', '${user.name}');
define('DB_PASSWORD', '${user.password}');
define('DB_HOST', 'localhost:${socket}');
define('WP_CONTENT_DIR', '${site}/wp-content');
define('WP_HOME', 'http://' . ($_SERVER['HTTP_HOST'] ?? '127.0.0.1'));
define('WP_SITEURL', WP_HOME);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY'] as $name) define($name, "$name of the bench");
foreach (['AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) define($name, "$name of the bench");
function wp_mail() { return true; }
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';
`

const install = `
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Notes', '${user.name}', 'ada@example.com', true, '', '${user.password}');
update_option('show_avatars', 0);
`

/** Posts and comments as each task finds them. */
const content = `
global $wpdb;
foreach (['posts', 'postmeta', 'comments', 'commentmeta', 'term_relationships'] as $table)
  $wpdb->query("TRUNCATE {$wpdb->prefix}$table");
foreach (['wp_persisted_preferences', 'meta-box-order_dashboard'] as $key) delete_user_meta(1, $key);
wp_cache_flush();
$block = fn($words) => "<!-- wp:paragraph -->\\n<p>$words</p>\\n<!-- /wp:paragraph -->";
$put = fn($id, $title, $text) => wp_insert_post(['import_id' => $id, 'post_title' => $title, 'post_content' => $text,
  'post_status' => 'publish', 'post_author' => 1, 'post_date' => gmdate('Y-m-d H:i:s', 1767225600 + $id * 60)]);
for ($number = 1; $number <= 24; $number++) $put(100 + $number, "Grain $number", $block('A note on threshing'));
$put(200, 'Harvest', implode("\\n\\n", array_map($block, ['One', 'Two', 'Three'])));
wp_insert_comment(['comment_post_ID' => 200, 'comment_author' => 'Charles', 'comment_author_email' => 'c@example.com',
  'comment_content' => 'How much grain?', 'comment_approved' => 0]);
`

const signIn: SignIn = {
  user,
  name: "user_login",
  password: "user_pass",
  button: { tag: "input", id: "wp-submit" }
}

const title = "//h1[contains(@class, 'editor-post-title__input')]"

const closeGuide = click("//div[contains(@class, 'edit-post-welcome-guide')]//button[@aria-label='Close dialog']")

const closeGuideByHand = (page: Page) =>
  page.locator(".edit-post-welcome-guide button[aria-label='Close dialog']").click()

const publish = [
  click("//button[contains(@class, 'editor-post-publish-panel__toggle')][@aria-disabled='false']"),
  click("//div[@class='editor-post-publish-panel']//button[contains(@class, 'editor-post-publish-button')]"),
  read(
    { said: text("//div[contains(@class, 'post-publish-panel__postpublish-header')]") },
    "//div[contains(@class, 'post-publish-panel__postpublish-header')]"
  )
]

const publishByHand = async (page: Page) => {
  await page.locator(".editor-post-publish-panel__toggle[aria-disabled=false]").click()
  await page.locator(".editor-post-publish-panel .editor-post-publish-button").click()
  return { said: await page.locator(".post-publish-panel__postpublish-header").innerText() }
}

const update = [
  click("//button[contains(@class, 'editor-post-publish-button')][@aria-disabled='false']"),
  read({ said: text("//div[@class='components-snackbar__content']") }, "//div[@class='components-snackbar__content']")
]

const updateByHand = async (page: Page) => {
  await page.locator(".editor-post-publish-button[aria-disabled=false]").click()
  await page.locator(".components-snackbar__content").waitFor()
}

const rowTitles = texts("//a[@class='row-title']")

export const application: Application = {
  name: "WordPress",
  version,
  start: async (folder, files) => {
    const root = await debian(folder, "wordpress", version, [...Php.withMysql, ...others])
    const state = await mkdtemp(join(tmpdir(), "sluice-wordpress-"))
    const database = await MariaDb.start(folder, state)
    await database.query("create database wordpress")
    // A site of its own, of links to the files of the package.
    const [site, program] = [join(state, "site"), join(root, "usr/share/wordpress")]
    for (const made of ["wp-content/uploads", "wp-content/themes", "wp-content/plugins"])
      await mkdir(join(site, made), { recursive: true })
    for (const name of await readdir(program))
      if (!["wp-config.php", "wp-content", ".htaccess"].includes(name))
        await symlink(join(program, name), join(site, name))
    const theme = "wp-content/themes/twentytwentythree"
    await symlink(join(program, theme), join(site, theme))
    await writeFile(join(state, "before.php"), `<?php define('ABSPATH', '${site}/');`)
    await writeFile(join(site, "wp-config.php"), settings(site, database.socket))
    const evaluate = (code: string) => Php.evaluate(root, state, code)
    const load = `define('ABSPATH', '${site}/'); require '${site}/wp-load.php';`
    await evaluate(`define('WP_INSTALLING', true); ${load} ${install}`)
    const server = await Php.serve(root, state, site, "/wp-login.php")
    const { origin } = server
    const { query } = database
    const post = async (condition: string) => {
      const sql = `select post_content, post_status, post_title from wordpress.wp_posts where ${condition}`
      const [[body, status, title] = []] = await query(
        `${sql.replace("post_content", "replace(post_content, '\\n', ' ')")}`
      )
      return { body, status, title }
    }
    const prepare = async () => {
      await evaluate(`${load} ${content}`)
    }
    const login = (path: string) => `${origin}/wp-login.php?redirect_to=${encodeURIComponent(path)}`
    /** A task that begins with signing in, which leads to a page. */
    const at = (path: string, task: Omit<SignedInTask, "prepare" | "url">): Task =>
      withSignIn(signIn, { ...task, prepare, url: login(path) })

    const tasks: ReadonlyArray<Task> = [
      at("/wp-admin/", {
        name: "sign in",
        targets: [],
        moves: [read({ title: text("//div[@id='wpbody']//h1") }, "//div[@id='wpbody']//h1")],
        byHand: async (page) => ({ title: await page.locator("#wpbody h1").innerText() }),
        verify: async (read) => deepStrictEqual(read, { title: "Dashboard" })
      }),
      at("/wp-admin/post-new.php", {
        name: "create in the block editor",
        moves: [
          closeGuide,
          type(title, "Made by hand"),
          press("{{enter}}"),
          press("First line.{{enter}}Second line."),
          ...publish
        ],
        byHand: async (page) => {
          await closeGuideByHand(page)
          await page.locator("h1.editor-post-title__input").click()
          await page.keyboard.type("Made by hand")
          await page.keyboard.press("Enter")
          await page.keyboard.type("First line.")
          await page.keyboard.press("Enter")
          await page.keyboard.type("Second line.")
          return await publishByHand(page)
        },
        verify: async () => {
          const { body, status } = await post("post_title = 'Made by hand'")
          strictEqual(status, "publish")
          match(String(body), /<p>First line\.<\/p>.*<p>Second line\.<\/p>/)
        }
      }),
      at("/wp-admin/post-new.php", {
        name: "add blocks by name",
        moves: [
          closeGuide,
          type(title, "Made by hand"),
          press("{{enter}}"),
          press("/heading"),
          click("//button[@role='option'][contains(., 'Heading')]"),
          press("A heading{{enter}}"),
          click("//button[contains(@class, 'edit-post-header-toolbar__inserter-toggle')]"),
          type("//div[contains(@class, 'block-editor-inserter__search')]//input", "list"),
          click("//button[contains(@class, 'editor-block-list-item-list')]"),
          type("//li[@data-type='core/list-item']//div[@role='textbox']", "Rye"),
          press("{{enter}}Oats"),
          ...publish
        ],
        byHand: async (page) => {
          await closeGuideByHand(page)
          await page.locator("h1.editor-post-title__input").click()
          await page.keyboard.type("Made by hand")
          await page.keyboard.press("Enter")
          await page.keyboard.type("/heading")
          await page.getByRole("option", { name: "Heading" }).click()
          await page.keyboard.type("A heading")
          await page.keyboard.press("Enter")
          await page.locator(".edit-post-header-toolbar__inserter-toggle").click()
          await page.locator(".block-editor-inserter__search input").fill("list")
          await page.locator("button.editor-block-list-item-list").click()
          await page.locator("li[data-type='core/list-item'] [role=textbox]").click()
          await page.keyboard.type("Rye")
          await page.keyboard.press("Enter")
          await page.keyboard.type("Oats")
          return await publishByHand(page)
        },
        verify: async () =>
          match(
            String((await post("post_title = 'Made by hand'")).body),
            /<h2>A heading<\/h2>.*<li>Rye<\/li>.*<li>Oats<\/li>/
          )
      }),
      at("/wp-admin/post.php?post=200&action=edit", {
        name: "drag a block",
        moves: [
          closeGuide,
          click("//p[contains(@class, 'wp-block-paragraph')][.='Three']"),
          step("DRAG", {
            selector: "//button[contains(@class, 'block-editor-block-mover__drag-handle')]",
            to_selector: "//p[contains(@class, 'wp-block-paragraph')][.='One']",
            to_position: { x: 100, y: 2 }
          }),
          ...update
        ],
        byHand: async (page) => {
          await closeGuideByHand(page)
          await page.locator("p.wp-block-paragraph", { hasText: "Three" }).click()
          const box = await page.locator("p.wp-block-paragraph", { hasText: "One" }).boundingBox()
          await page.locator(".block-editor-block-mover__drag-handle").hover()
          await page.mouse.down()
          await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 2, { steps: 10 })
          // The editor looks at the pointer five times a second.
          await page.waitForTimeout(250)
          await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 2)
          await page.mouse.up()
          await updateByHand(page)
          return null
        },
        verify: async () => {
          const { body = "" } = await post("ID = 200")
          deepStrictEqual(
            [...body.matchAll(/<p>(\w+)<\/p>/g)].map(([, words]) => words),
            ["Three", "One", "Two"]
          )
        }
      }),
      at("/wp-admin/edit.php", {
        name: "quick edit",
        targets: ["#post-200 a.row-title"],
        moves: [
          hover("//tr[@id='post-200']//a[@class='row-title']"),
          click("//tr[@id='post-200']//button[contains(@class, 'editinline')]"),
          type("//tr[@id='edit-200']//input[@name='post_title']", "Threshing"),
          choose("//tr[@id='edit-200']//select[@name='_status']", "Draft"),
          click("//tr[@id='edit-200']//button[contains(@class, 'save')]"),
          read(
            { title: text("//tr[@id='post-200']//a[@class='row-title']") },
            "//tr[@id='post-200']//a[@class='row-title'][.='Threshing']"
          )
        ],
        byHand: async (page) => {
          const row = page.locator("#post-200")
          await row.locator("a.row-title").hover()
          await row.locator("button.editinline").click()
          await page.locator("#edit-200 [name=post_title]").fill("Threshing")
          await page.locator("#edit-200 select[name=_status]").selectOption("Draft")
          await page.locator("#edit-200 button.save").click()
          await page.locator("#post-200 a.row-title", { hasText: "Threshing" }).waitFor()
          return { title: await page.locator("#post-200 a.row-title").innerText() }
        },
        verify: async (read) => {
          deepStrictEqual(read, { title: "Threshing" })
          const { status, title } = await post("ID = 200")
          deepStrictEqual({ status, title }, { status: "draft", title: "Threshing" })
        }
      }),
      {
        name: "comment",
        prepare,
        url: `${origin}/?p=200`,
        targets: ["#comment", "#author", "#email", "#submit"],
        workflow: [
          type("//textarea[@id='comment']", "Forty bushels."),
          type("//input[@id='author']", "Mary"),
          type("//input[@id='email']", "mary@example.com"),
          click("//input[@id='submit']"),
          read(
            { said: text("//em[@class='comment-awaiting-moderation']") },
            "//em[@class='comment-awaiting-moderation']"
          )
        ],
        byHand: async (page) => {
          await page.goto(`${origin}/?p=200`, { waitUntil: "domcontentloaded" })
          await page.locator("#comment").fill("Forty bushels.")
          await page.locator("#author").fill("Mary")
          await page.locator("#email").fill("mary@example.com")
          await page.locator("#submit").click()
          return { said: await page.locator("em.comment-awaiting-moderation").innerText() }
        },
        verify: async () =>
          deepStrictEqual(
            await query(
              "select comment_author, comment_content from wordpress.wp_comments where comment_author = 'Mary'"
            ),
            [["Mary", "Forty bushels."]]
          )
      },
      at("/wp-admin/edit-comments.php", {
        name: "answer a comment",
        moves: [
          hover("//tr[@id='comment-1']//td[contains(@class, 'column-comment')]/p"),
          click("//tr[@id='comment-1']//span[contains(@class, 'reply')]/button"),
          type("//textarea[@id='replycontent']", "Forty bushels."),
          click("//span[@id='replybtn']"),
          read({ said: text("//tr[@id='comment-2']//p") }, "//tr[@id='comment-2']//p")
        ],
        byHand: async (page) => {
          await page.locator("#comment-1 td.column-comment > p").hover()
          await page.locator("#comment-1 .reply button").click()
          await page.locator("#replycontent").fill("Forty bushels.")
          await page.locator("#replybtn").click()
          return { said: await page.locator("#comment-2 td.column-comment > p").innerText() }
        },
        verify: async () =>
          deepStrictEqual(
            await query("select comment_approved, comment_content from wordpress.wp_comments order by comment_ID"),
            [
              ["1", "How much grain?"],
              ["1", "Forty bushels."]
            ]
          )
      }),
      at("/wp-admin/edit.php", {
        name: "search",
        targets: ["#post-search-input", "#search-submit"],
        moves: [
          type("//input[@id='post-search-input']", "Harvest"),
          click("//input[@id='search-submit']"),
          read({ found: rowTitles }, "//span[@class='subtitle']")
        ],
        byHand: async (page) => {
          await page.locator("#post-search-input").fill("Harvest")
          await page.locator("#search-submit").click()
          await page.locator("span.subtitle").waitFor()
          return { found: await page.locator("a.row-title").allInnerTexts() }
        },
        verify: async (read) => deepStrictEqual(read, { found: ["Harvest"] })
      }),
      at("/wp-admin/edit.php", {
        name: "page through",
        moves: [
          read({ found: rowTitles }, "//a[@class='row-title']"),
          click("//div[contains(@class, 'bottom')]//a[contains(@class, 'next-page')]"),
          read({ found: rowTitles }, "//input[@id='current-page-selector'][@value='2']")
        ],
        byHand: async (page) => {
          await page.locator("a.row-title").first().waitFor()
          const found = await page.locator("a.row-title").allInnerTexts()
          await page.locator(".bottom a.next-page").click()
          await page.locator("#current-page-selector[value='2']").waitFor()
          return { found: [...found, ...(await page.locator("a.row-title").allInnerTexts())] }
        },
        verify: async (read) =>
          deepStrictEqual(read, {
            found: ["Harvest", ...Array.from({ length: 24 }, (_, index) => `Grain ${24 - index}`)]
          })
      }),
      at("/wp-admin/media-new.php", {
        name: "upload",
        moves: [
          step("FILE_UPLOAD", {
            signed_file_url: files.offer("sheaf.txt", "a sheaf"),
            file_name: "sheaf.txt",
            selector: "//input[@type='file'][starts-with(@id, 'html5_')]"
          }),
          read({ said: text("//a[@class='edit-attachment']") }, "//a[@class='edit-attachment']")
        ],
        byHand: async (page) => {
          await page
            .locator("input[type=file][id^=html5_]")
            .setInputFiles({ name: "sheaf.txt", mimeType: "text/plain", buffer: Buffer.from("a sheaf") })
          await page.locator("a.edit-attachment").waitFor()
          return null
        },
        verify: async () => {
          const [[path = ""] = []] = await query(
            "select meta_value from wordpress.wp_postmeta where meta_key = '_wp_attached_file'"
          )
          strictEqual(await readFile(join(site, "wp-content/uploads", path), "utf8"), "a sheaf")
        }
      }),
      at("/wp-admin/export.php", {
        name: "download",
        moves: [click("//input[@id='submit']"), step("FILE_DOWNLOAD", { metadata: {} })],
        byHand: async (page) => {
          const download = page.waitForEvent("download")
          await page.locator("#submit").click()
          return { files: [await readFile(await (await download).path(), "utf8")] }
        },
        verify: async (read) => {
          const { files } = read as { files: ReadonlyArray<string> }
          ok(files[0]?.includes("<title><![CDATA[Harvest]]></title>"), files[0]?.slice(0, 400))
        }
      }),
      at("/wp-admin/", {
        name: "drag a box",
        moves: [
          step("DRAG", {
            selector: "//div[@id='dashboard_activity']//h2[contains(@class, 'hndle')]",
            to_selector: "//div[@id='dashboard_quick_press']//h2[contains(@class, 'hndle')]",
            to_position: { x: 50, y: 4 }
          }),
          read(
            { boxes: texts("//div[@id='side-sortables']//h2") },
            "//div[@id='side-sortables']//div[@id='dashboard_activity']"
          )
        ],
        byHand: async (page) => {
          // What comes late moves the boxes.
          await page.locator(".community-events-loading").waitFor({ state: "hidden" })
          const handle = page.locator("#dashboard_activity h2.hndle")
          await handle.hover()
          await page.mouse.down()
          const box = await page.locator("#dashboard_quick_press h2.hndle").boundingBox()
          await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 10, { steps: 10 })
          await page.mouse.move((box?.x ?? 0) + 50, (box?.y ?? 0) + 4, { steps: 5 })
          const saved = page.waitForResponse((one) => one.url().includes("admin-ajax.php"))
          await page.mouse.up()
          await saved
          return null
        },
        verify: async () => {
          const [[order = ""] = []] = await query(
            "select meta_value from wordpress.wp_usermeta where meta_key = 'meta-box-order_dashboard'"
          )
          match(order, /"side";s:\d+:"[^"]*dashboard_activity/)
        }
      }),
      at("/wp-admin/edit.php", {
        name: "delete several",
        targets: ["#cb-select-200", "#cb-select-124", "#bulk-action-selector-top", "#doaction"],
        moves: [
          click("//input[@id='cb-select-200']"),
          click("//input[@id='cb-select-124']"),
          choose("//select[@id='bulk-action-selector-top']", "Move to Trash"),
          click("//input[@id='doaction']"),
          read({ said: text("//div[@id='message']/p") }, "//div[@id='message']/p")
        ],
        byHand: async (page) => {
          await page.locator("#cb-select-200").check()
          await page.locator("#cb-select-124").check()
          await page.locator("#bulk-action-selector-top").selectOption("Move to Trash")
          await page.locator("#doaction").click()
          return { said: await page.locator("#message p").first().innerText() }
        },
        verify: async () =>
          deepStrictEqual(await query("select ID from wordpress.wp_posts where post_status = 'trash' order by ID"), [
            ["124"],
            ["200"]
          ])
      })
    ]
    return {
      origin,
      tasks,
      alteredAfterScripts: true,
      stop: async () => {
        await server.stop()
        await stopAndRemove(database, state)
      }
    }
  }
}
