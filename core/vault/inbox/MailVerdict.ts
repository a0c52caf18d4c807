/**
 * Who vouches for a received mail: the registrable domains that its SPF or DKIM has passed for. The verdict is kept with each
 * code as one line in the words of RFC 8601, such as `spf=pass smtp.mailfrom=example.com dkim=pass header.d=example.com`; a
 * domain stands there only where the check passed.
 */
/** A verdict; absent where a message came another way than as a mail that was checked. */
type Verdict = string | undefined

/** The registrable domains that vouch for a mail. */
export const sitesOf = (verdict: Verdict): ReadonlyArray<string> => [
  ...new Set(Array.from((verdict ?? "").matchAll(/ (?:smtp\.mailfrom|header\.d)=(\S+)/g), ([, site = ""]) => site))
]

/** Neither SPF nor DKIM has passed: the sender may be another than the mail says. */
const isUnproven = (verdict: Verdict): boolean => verdict !== undefined && !verdict.includes("=pass")

/**
 * How little is known in favour of a mail: 0 where one of the `expected` registrable domains vouches for it, 1 where another
 * does or it came another way, 2 where none does.
 */
export const rank = (verdict: Verdict, expected: ReadonlyArray<string>): 0 | 1 | 2 => {
  if (isUnproven(verdict)) return 2
  return sitesOf(verdict).some((site) => expected.includes(site)) ? 0 : 1
}

/** Whether one mail has at least the rank of another, whichever domains are expected. */
export const isAsGood = (one: Verdict, other: Verdict): boolean => {
  const sites = sitesOf(one)
  return isUnproven(other) || (!isUnproven(one) && sitesOf(other).every((site) => sites.includes(site)))
}
