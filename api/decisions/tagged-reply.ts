/** An answer with a tag of its own: who has it already is told so, and sent nothing. */
import { hash } from 'node:crypto'
import { jsonHeaders } from '../../http/call.ts'
import type { Reply } from '../../http/call.ts'

const notModified = 304
const tagChars = 27

/** The tag is of the whole text, so whatever changes in it makes another one. */
export function taggedReply(body: string, ifNoneMatch: string | undefined): Reply {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, tagChars)}"`
  if (isAmong(etag, ifNoneMatch ?? '')) return { status: notModified, headers: { etag }, body: '' }
  return { status: 200, headers: { ...jsonHeaders, etag }, body }
}

/** Weak tags compare as strong ones do here: RFC 9110, 13.1.2. */
function isAmong(etag: string, list: string): boolean {
  const tags = list.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
