/** Judge dialect: describes the API features that a server supports for a model, as detected from
 * its errors.
 */

/** Reply formats, strictest first. With `text`, only the prompt requests JSON. */
const replyFormats = ['json_schema', 'json_object', 'text'] as const
type ReplyFormat = (typeof replyFormats)[number]

export interface JudgeDialect {
  readonly replyFormat: ReplyFormat
  /** Newer models reject `max_tokens`. */
  readonly limitName: 'max_tokens' | 'max_completion_tokens'
  /** Reasoning models accept only their default temperature. */
  readonly takesTemperature: boolean
}

export const fullDialect: JudgeDialect = Object.freeze({
  replyFormat: 'json_schema',
  limitName: 'max_tokens',
  takesTemperature: true
})

const formatWords = /response_format|json_schema|json_object|structured output|guided/i

/**
 * Returns the dialect to try after a 400 or 422 response with this text, or null if the error has
 * another cause. Each step removes a feature, so the number of retries is bounded.
 */
export function lesserDialect(dialect: JudgeDialect, text: string): JudgeDialect | null {
  if (/temperature/i.test(text) && dialect.takesTemperature) {
    return { ...dialect, takesTemperature: false }
  }
  if (/max_tokens/i.test(text) && dialect.limitName === 'max_tokens') {
    return { ...dialect, limitName: 'max_completion_tokens' }
  }
  const next = replyFormats[replyFormats.indexOf(dialect.replyFormat) + 1]
  return formatWords.test(text) && next !== undefined ? { ...dialect, replyFormat: next } : null
}

/**
 * Returns a dialect with the restrictions of both, because concurrent calls can detect different
 * restrictions.
 */
export function commonDialect(one: JudgeDialect, other: JudgeDialect): JudgeDialect {
  const rungs = [one, other].map(({ replyFormat }) => replyFormats.indexOf(replyFormat))
  const isNewer = [one, other].some(({ limitName }) => limitName === 'max_completion_tokens')
  return {
    replyFormat: replyFormats[Math.max(...rungs)] ?? 'text',
    limitName: isNewer ? 'max_completion_tokens' : 'max_tokens',
    takesTemperature: one.takesTemperature && other.takesTemperature
  }
}
