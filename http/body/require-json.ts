/** Checks the media types of request bodies. */
import { Problem } from '../../core/problem.ts'

/**
 * The pattern never has two adjacent runs of optional spaces, because matching them would be slow
 * for a header full of spaces.
 */
const charset = String.raw`charset\s*=\s*"?utf-8"?\s*(?:;\s*)?`
const parameters = String.raw`\s*(?:;\s*(?:${charset})?)?$`
const jsonContentType = new RegExp(`^application/json${parameters}`, 'i')
/** Media types in use for JSON lines. None of them is registered. */
const linesContentType = new RegExp(
  `^application/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-lines)${parameters}`,
  'i'
)

/** @throws {Problem} 415 unless the media type is JSON in UTF-8 */
export function requireJson(contentType: string | undefined): void {
  if (contentType !== undefined && jsonContentType.test(contentType)) return
  throw unsupportedMediaType(contentType, 'application/json', ' in UTF-8')
}

/** @throws {Problem} 415 unless the media type is JSON or JSON lines, in UTF-8 */
export function requireJsonOrLines(contentType: string | undefined): 'json' | 'lines' {
  if (contentType !== undefined && jsonContentType.test(contentType)) return 'json'
  if (contentType !== undefined && linesContentType.test(contentType)) return 'lines'
  throw unsupportedMediaType(contentType, 'application/json, application/x-ndjson', ' in UTF-8')
}

/** @param accepted the media types that are accepted, as in the header Accept */
export function unsupportedMediaType(
  contentType: string | undefined,
  accepted: string,
  encoding = ''
): Problem {
  const sent = contentType === undefined ? 'missing' : JSON.stringify(contentType.slice(0, 100))
  return new Problem('unsupported_media_type', {
    detail: `The Content-Type is ${sent}; send ${accepted.replace(', ', ' or ')}${encoding}.`,
    headers: { accept: accepted }
  })
}
