/** The members of a decision's metadata as texts, read from the text that was sent. */
import { scanMembers } from '../../core/json/json-members.ts'

/** The text of a member: a string as it is, anything else as its JSON; null when there is none. */
export type MetadataTexts = (name: string) => string | null

const depthMax = 64

/** Scanned when first asked, since most rules never ask. Of a name said twice the last counts. */
export function metadataTextsOf(metadata: string | null): MetadataTexts {
  let texts: ReadonlyMap<string, string> | undefined
  return (name) => (texts ??= readTexts(metadata)).get(name) ?? null
}

function readTexts(metadata: string | null): ReadonlyMap<string, string> {
  const start = metadata?.indexOf('{') ?? -1
  if (metadata === null || start < 0) return new Map()
  const { members } = scanMembers(metadata, start, depthMax)
  return new Map(members.map(({ name, start, end }) => [name, textOf(metadata.slice(start, end))]))
}

function textOf(literal: string): string {
  return literal.startsWith('"') ? (JSON.parse(literal) as string) : literal
}
