/**
 * Finds the link of a message that signs a user in or confirms something.
 */

import { plain } from "./PlainText.ts"
import { olderLines } from "./Quotation.ts"
import { type Body, type Link, limits, type Message } from "./ReceivedMessage.ts"
import * as Wording from "./Wording.ts"

export interface FoundLink {
  readonly url: string
  readonly score: number
}

/** A message whose best link has fewer points has no link. */
const enough = 9

/** So many are kept: a user who knows the site may choose among them by a pattern. */
const maxKept = 10

/**
 * The links of a message that sign in or confirm, the likeliest first and at most ten; none where there is no such
 * link. Those that only inform, such as how to unsubscribe, are left out.
 */
export const linksIn = (message: Message): ReadonlyArray<FoundLink> => {
  for (const body of message.bodies) {
    const found = linksOf(message.subject, body)
    if (found.length > 0) return found
  }
  return []
}

/**
 * The links of a message in which none is likely, at most ten and the likeliest first. A user who knows the site may
 * choose among them by a pattern.
 */
export const uncertainLinksIn = (message: Message): ReadonlyArray<FoundLink> => {
  for (const body of message.bodies) {
    const found = rankedLinks(message.subject, body)
    if (found.length > 0) return found.slice(0, maxKept)
  }
  return []
}

const linksOf = (subject: string, body: Body): ReadonlyArray<FoundLink> => {
  const found = rankedLinks(subject, body).filter(({ score }) => score > 0)
  const isLikely = (found[0]?.score ?? 0) >= enough || (found.length === 1 && promisesOne(subject))
  return isLikely ? found.slice(0, maxKept) : []
}

/** All links that are not for something else, nor of an older message that this one answers, the likeliest first. */
const rankedLinks = (subject: string, body: Body): ReadonlyArray<FoundLink> => {
  const older = olderLines(subject, body)
  const lines = body.lines.map(({ hidden, text }, index) =>
    hidden || older[index] === true ? "" : plain(text).toLowerCase()
  )
  const whole = `${plain(subject)}\n${lines.join("\n")}`.toLowerCase().slice(0, limits.characters / 2)
  const asks = purpose.test(whole) ? 3 : isAny(plain(subject).toLowerCase(), Wording.enters) ? 2 : 0
  const best = new Map<string, FoundLink>()
  for (const [index, link] of body.links.slice(0, limits.links).entries()) {
    if (older[link.line] === true) continue
    const own = scoreOf(link, lines, asks)
    if (own === null) continue
    const score = own - index * 0.1
    const before = best.get(link.url)
    if (before === undefined || before.score < score) best.set(link.url, { url: link.url, score })
  }
  return [...best.values()].sort((one, other) => other.score - one.score)
}

/** Whether a title says that the message brings a link to sign in with. */
const promisesOne = (subject: string): boolean => {
  const title = plain(subject).toLowerCase()
  return title.length <= 80 && Wording.promisesLink.test(title) && !Wording.aboutLinks.test(title)
}

/** Phrases of messages whose link is for signing in or confirming. */
const purpose =
  /magic link|(?:sign|log)[- ]?in link|(?:click|tap|press|use|follow|open|visit)[^.!?\n]{0,80}(?:link|button|below|here|following)|(?:confirm|verify|activate)[^.!?\n]{0,40}(?:e-?mail|address|account|identity|request|registration|it['’]s you)|(?:sign|log)(?:ing)?[- ]?in (?:to|request|attempt)|link[^.!?\n]{0,60}(?:expires?|valid|only be used once|works? (?:only )?once)|anmeldelink|login-link|(?:klick|button|schaltfläche)[^.!?\n]{0,80}|lien[^.!?\n]{0,60}(?:connexion|connecter|expire|valable)|clique[zr]?[^.!?\n]{0,60}|enlace[^.!?\n]{0,60}|haz clic|haga clic|fare clic|clicca|premi il|clique (?:no|em)|klik (?:op|hier)|kliknij|tıkla\p{L}*|bağlantı\p{L}*|перейд\p{L}*|нажм\p{L}*|по ссылке|点击|點擊|點選|链接|連結|クリック|リンク|タップ|클릭|링크|انقر|الرابط|اضغط|לחץ|לחצו|קישור|nhấp|คลิก/u

/** The likelihood that a link signs in or confirms; `null` for one with another purpose. */
const scoreOf = ({ line, url, words }: Link, lines: ReadonlyArray<string>, asks: number): number | null => {
  if (url.length > limits.urlCharacters || URL.parse(url) === null) return null
  const { hash, hostname, pathname, protocol, search } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:") return null
  const said = plain(words).toLowerCase()
  const isAddress = said === "" || /^https?:\/\//u.test(said)
  const target = decoded(pathname + search + hash).toLowerCase()
  if (isAny(said, Wording.elsewhere) || trifle.test(target) || media.test(pathname.toLowerCase())) return null
  // Of an address without words, the line before describes the purpose.
  const around = isAddress ? textBefore(lines, line) : said
  if (isAddress && isAny(around, Wording.elsewhere) && !isAny(around, Wording.enters)) return null
  if (isAddress && cancels.test(around)) return null
  return (
    asks +
    (isAny(around, Wording.enters) ? (isAddress ? 4 : 5) : 0) +
    (purposeful.test(target) ? 2 : 0) +
    (/[a-z0-9_%.~-]{16,}/u.test(target) && /\d/u.test(target) ? 2.5 : 0) +
    (search !== "" || hash.length > 8 ? 0.5 : 0) -
    (pathname === "/" && search === "" && hash === "" ? 5 : 0) -
    (social.test(hostname) ? 8 : 0)
  )
}

const purposeful =
  /log-?in|sign-?in|signup|verif|confirm|auth|token|magic|otp|callback|activat|validat|session|passwordless|one-?time|ticket|invite|mail\/vf/u
const trifle =
  /unsubscribe|opt-?out|privacy|\/terms|preferences|\/help|\/support|faq|\/legal|imprint|view-?(?:in-?)?browser|webversion|cancel|mail\/uf|report-?abuse|\/blog/u
const media = /\.(?:png|jpe?g|gif|svg|webp|ico|css|js|pdf|ics)$/u
const social = /(?:^|\.)(?:facebook|twitter|x|instagram|linkedin|youtube|tiktok|pinterest|w3|schema)\.(?:com|org)$/u
const cancels =
  /\bcancel\b|did(?:n['’]t| not) (?:request|sign|try)|not you|wasn['’]t you|nicht (?:du|sie) war|nicht angefordert|pas vous|no fuiste|non sei stato/u

/** The text of the line of an address, or else of the nearest line above that has text. */
const textBefore = (lines: ReadonlyArray<string>, line: number): string => {
  for (let above = line; above >= 0 && above >= line - 3; above--) {
    const text = lines[above]?.slice(0, 400) ?? ""
    if (/\p{L}{2}/u.test(text)) return text
  }
  return ""
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const isAny = (text: string, words: RegExp): boolean => text.search(words) >= 0
