/** Ids of nodes that stay the same as long as the names of the steps do. */

/** 32 bits of a text, from a seed: FNV-1a, with the mixing of MurmurHash3 at its end. */
const hashed = (text: string, seed: number): number => {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const seeds = [0, 0x9e3779b9, 0x3c6ef372, 0xdaa66d2b]

/** A UUID of version 8 that depends on the text alone. It identifies and protects nothing. */
export const stableId = (text: string): string => {
  const digits = seeds.map((seed) => hashed(text, seed).toString(16).padStart(8, "0")).join("")
  const variant = "89ab"[Number.parseInt(digits.charAt(16), 16) % 4]
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`
}

/** The id of the step with this name: the first of the workflow with it, the second, and so on, counted from 1. */
export const idOfStep = (name: string, count: number): string => stableId(count === 1 ? name : `${name}\u0000${count}`)
