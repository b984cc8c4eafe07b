/** What of the chat completions API a server understands: learnt from its refusals, one by one. */

/** From the strictest to none: without any, the prompt alone asks for JSON. */
export const replyFormats = ['json_schema', 'json_object', 'text'] as const
export type ReplyFormat = (typeof replyFormats)[number]

export interface JudgeDialect {
  readonly replyFormat: ReplyFormat
  /** Newer models refuse the older name. */
  readonly limitName: 'max_tokens' | 'max_completion_tokens'
  /** Models that reason on their own take no temperature but their own. */
  readonly takesTemperature: boolean
}

export const fullDialect: JudgeDialect = Object.freeze({
  replyFormat: 'json_schema',
  limitName: 'max_tokens',
  takesTemperature: true
})

const formatWords = /response_format|json_schema|json_object|structured output|guided/i

/**
 * The dialect to try next after a 400 or 422 that says `text`, or null when that is about
 * something else. Each differs from the last, so asking again ends.
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

/** What two calls at once have learnt, each on its own. */
export function commonDialect(one: JudgeDialect, other: JudgeDialect): JudgeDialect {
  const rungs = [one, other].map(({ replyFormat }) => replyFormats.indexOf(replyFormat))
  const isNewer = [one, other].some(({ limitName }) => limitName === 'max_completion_tokens')
  return {
    replyFormat: replyFormats[Math.max(...rungs)] ?? 'text',
    limitName: isNewer ? 'max_completion_tokens' : 'max_tokens',
    takesTemperature: one.takesTemperature && other.takesTemperature
  }
}
