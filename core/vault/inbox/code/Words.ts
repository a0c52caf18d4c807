/**
 * Finds the words of the languages in a text.
 */
import { plain } from "../PlainText.ts"
import type { Language } from "./Languages.ts"

/** A meaning of words, as the languages list them. */
export type Meaning = Exclude<keyof Language, "name">

export interface Word {
  readonly start: number
  /** Behind its last letter, endings included. */
  readonly end: number
  /** What it means: several things, where languages share a word. */
  readonly means: ReadonlySet<Meaning>
}

/** What a text must be like for a stem to match. */
interface Stem {
  readonly text: string
  /** Which form of a text it is compared with. */
  readonly form: keyof Forms
  readonly whole: boolean
  readonly within: boolean
  readonly means: Array<{ readonly meaning: Meaning; readonly language: string }>
}

interface Forms {
  readonly written: string
  readonly lower: string
  /** In lower case and without accents. */
  readonly bare: string
}

const others: Readonly<Record<string, string>> = { ł: "l", ø: "o", đ: "d", ı: "i" }

/** A function of one UTF-16 unit, remembered, as a function of texts that keeps their length. */
const byUnit = (one: (unit: string) => string): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    let all = ""
    for (let at = 0; at < text.length; at++) {
      const unit = text.charAt(at)
      let made = known.get(unit)
      if (made === undefined) {
        made = one(unit)
        known.set(unit, made)
      }
      all += made
    }
    return all
  }
}

const lower = byUnit((unit) => unit.toLowerCase().charAt(0))

const bare = byUnit((unit) => {
  const small = unit.toLowerCase().charAt(0)
  const base = small
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/gu, "")
    .normalize("NFC")
  return others[base] ?? (base.length === 1 ? base : small)
})

/** Scripts that put no blanks between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** These, and scripts whose words may begin with an article or be joined to another word. */
const joining = /[\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}]/u

const isLetter = (character: string): boolean => /[\p{L}\p{M}]/u.test(character)

const stemOf = (written: string, means: Stem["means"][number]): Stem => {
  const [, mark = "", body = "", dot = ""] = /^([=-]?)(.*?)(\.?)$/u.exec(written) ?? []
  const form = mark === "=" ? "lower" : /\p{Lu}/u.test(body) ? "written" : "bare"
  const text = plain(body)
  return {
    text: form === "bare" ? bare(text) : text,
    form,
    whole: dot !== "",
    within: mark === "-" || unspaced.test(text) || joining.test(text),
    means: [means]
  }
}

type Stems = ReadonlyMap<string, ReadonlyArray<Stem>>

/** The stems of languages by their first character, the longest first: all, and those that match within a word. */
const stemsOf = (languages: ReadonlyArray<Language>): { readonly all: Stems; readonly within: Stems } => {
  const known = new Map<string, Stem>()
  for (const { name, ...lists } of languages) {
    for (const [meaning, list] of Object.entries(lists) as ReadonlyArray<[Meaning, string]>) {
      for (const written of list.split(", ")) {
        const before = known.get(written)
        if (before === undefined) known.set(written, stemOf(written, { meaning, language: name }))
        else before.means.push({ meaning, language: name })
      }
    }
  }
  const byLength = [...known.values()].sort((one, other) => other.text.length - one.text.length)
  const byFirst = (some: ReadonlyArray<Stem>): Stems => {
    const grouped = new Map<string, Array<Stem>>()
    for (const stem of some) {
      const first = bare(stem.text.charAt(0))
      const others = grouped.get(first)
      if (others === undefined) grouped.set(first, [stem])
      else others.push(stem)
    }
    return grouped
  }
  return { all: byFirst(byLength), within: byFirst(byLength.filter(({ within }) => within)) }
}

/** At most so many words of a text are found. */
const maxWords = 200

interface Match {
  readonly start: number
  readonly end: number
  /** Of one length. */
  readonly stems: ReadonlyArray<Stem>
}

/** The longest stems at each place of a text, in order. No two matches overlap. */
const matchesIn = (text: string, { all, within }: ReturnType<typeof stemsOf>): ReadonlyArray<Match> => {
  const forms: Forms = { written: text, lower: lower(text), bare: bare(text) }
  const found: Array<Match> = []
  for (let at = 0; at < text.length && found.length < maxWords; ) {
    const before = forms.bare.charAt(at - 1)
    const begins = !isLetter(before) || unspaced.test(before)
    const here: Array<Stem> = []
    for (const stem of (begins ? all : within).get(forms.bare.charAt(at)) ?? []) {
      if (here[0] !== undefined && stem.text.length < here[0].text.length) break
      if (!forms[stem.form].startsWith(stem.text, at)) continue
      const after = forms.bare.charAt(at + stem.text.length)
      if (!stem.whole || !isLetter(after) || unspaced.test(after)) here.push(stem)
    }
    const length = here[0]?.text.length ?? 0
    if (length > 0) found.push({ start: at, end: at + length, stems: here })
    at += Math.max(length, 1)
  }
  return found
}

/** What joins, asks for or takes back is said in short words, which mean other things in other languages. */
const grammar: ReadonlySet<Meaning> = new Set(["is", "of", "use", "used", "fresh", "past", "over", "unless", "later"])

/** A language with so much of the words of the one that has most of them may be that of a text. */
const share = 0.6

/** Finds the words of some languages. */
export interface Lexicon {
  /** The languages that texts in plain form may be in, by their words of three letters and more. */
  readonly languagesOf: (texts: ReadonlyArray<string>) => ReadonlySet<string>
  /** The words of a text in plain form, in order. Those of the grammar count in the given languages only. */
  readonly wordsIn: (text: string, spoken: ReadonlySet<string>) => ReadonlyArray<Word>
}

export const lexiconOf = (languages: ReadonlyArray<Language>): Lexicon => {
  // They are made for the first message: most processes read none.
  let made: ReturnType<typeof stemsOf> | null = null
  const matches = (text: string): ReadonlyArray<Match> => {
    made ??= stemsOf(languages)
    return matchesIn(text, made)
  }
  return {
    languagesOf: (texts) => {
      const known = new Map<string, Set<string>>()
      for (const { stems } of texts.flatMap(matches)) {
        for (const { means, text } of stems) {
          if (text.length < 3 && !unspaced.test(text)) continue
          for (const { language } of means) known.set(language, (known.get(language) ?? new Set()).add(text))
        }
      }
      const most = Math.max(0, ...[...known.values()].map(({ size }) => size))
      return new Set([...known].filter(([, { size }]) => size >= most * share).map(([language]) => language))
    },
    wordsIn: (text, spoken) => {
      const found = matches(text)
      return found.flatMap(({ end, start, stems }, index) => {
        const means = new Set(
          stems
            .flatMap((stem) => stem.means)
            .filter(({ language, meaning }) => !grammar.has(meaning) || spoken.has(language))
            .map(({ meaning }) => meaning)
        )
        if (means.size === 0) return []
        return [{ start, end: endOf(text, end, found[index + 1]?.start ?? text.length), means }]
      })
    }
  }
}

/** Behind the ending of a word, but not within the next. */
const endOf = (text: string, from: number, limit: number): number => {
  let end = from
  if (unspaced.test(text.charAt(from - 1))) return end
  while (end < limit && isLetter(text.charAt(end)) && !unspaced.test(text.charAt(end))) end++
  return end
}
