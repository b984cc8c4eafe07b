/** The one media type that bodies come in. */
import { Problem } from '../core/problem.ts'

const jsonContentType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i

/** @throws {Problem} 415 unless it says JSON in UTF-8. */
export function requireJson(contentType: string | undefined): void {
  if (contentType !== undefined && jsonContentType.test(contentType)) return
  throw new Problem('unsupported_media_type', {
    detail: `The Content-Type is ${contentType ?? 'missing'}; send application/json in UTF-8.`,
    headers: { accept: 'application/json' }
  })
}
