/** Reads members of a decision's metadata as texts, exactly as sent. */
import { scanMembers } from '../../core/json/json-members.ts'

/**
 * Returns the content of a string member, the JSON of any other member, or null if the member is
 * absent.
 */
export type MetadataTexts = (name: string) => string | null

const depthMax = 64

/**
 * Scans the metadata on first use, because most rules do not need it. If a name occurs more than
 * once, the last member with that name is used.
 */
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
