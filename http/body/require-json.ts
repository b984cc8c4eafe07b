/** The media types that bodies come in. */
import { Problem } from '../../core/problem.ts'

/** No two runs of spaces side by side: a header full of them would be tried at each split. */
const charset = String.raw`charset\s*=\s*"?utf-8"?\s*(?:;\s*)?`
const parameters = String.raw`\s*(?:;\s*(?:${charset})?)?$`
const jsonContentType = new RegExp(`^application/json${parameters}`, 'i')
/** Nobody has registered a name for lines of JSON; these are the ones in use. */
const linesContentType = new RegExp(
  `^application/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-lines)${parameters}`,
  'i'
)

/** @throws {Problem} 415 unless it says JSON in UTF-8. */
export function requireJson(contentType: string | undefined): void {
  if (contentType !== undefined && jsonContentType.test(contentType)) return
  throw unsupported(contentType, 'application/json')
}

/** @throws {Problem} 415 unless it says JSON, or lines of JSON, in UTF-8. */
export function requireJsonOrLines(contentType: string | undefined): 'json' | 'lines' {
  if (contentType !== undefined && jsonContentType.test(contentType)) return 'json'
  if (contentType !== undefined && linesContentType.test(contentType)) return 'lines'
  throw unsupported(contentType, 'application/json, application/x-ndjson')
}

function unsupported(contentType: string | undefined, accepted: string): Problem {
  const sent = contentType === undefined ? 'missing' : JSON.stringify(contentType.slice(0, 100))
  return new Problem('unsupported_media_type', {
    detail: `The Content-Type is ${sent}; send ${accepted.replace(', ', ' or ')} in UTF-8.`,
    headers: { accept: accepted }
  })
}
