/** What the judge server does with one request: all that providers do on good and bad days. */

export interface Behaviour {
  /** Waits so long before anything else. */
  readonly delayMs?: number
  /** Closes the connection instead of an answer, or in the middle of it. */
  readonly cut?: 'before' | 'within'
  /** Instead of 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The member `error` of the body. */
  readonly error?: Readonly<Record<string, unknown>>
  /** The whole body, whatever it is. */
  readonly body?: string
  /** In place of the mind's grade. */
  readonly grade?: number | string
  /** In place of the right one. */
  readonly nonce?: string
  /** Changes the text of the message. */
  readonly wrap?: (json: string) => string
  readonly refusal?: string
  readonly finishReason?: string
  /** Null: says nothing of tokens. */
  readonly usage?: Readonly<Record<string, unknown>> | null
  /** Applies only to requests whose limit of tokens is lower. */
  readonly belowTokens?: number
}

function failing(status: number, code: string | null, headers: Record<string, string> = {}) {
  // As real ones do, the message repeats what nobody may log.
  const message = `Incorrect: sk-secret123 for the prompt "judge this"`
  return { status, headers, error: { code, type: code, message, param: null } }
}

/** By name, so that another process can ask for them. */
export const judgeBehaviours = {
  good: {},
  rate_limited_seconds: failing(429, 'rate_limit_exceeded', { 'retry-after': '7' }),
  rate_limited_date: failing(429, null, { 'retry-after': 'Wed, 01 Jan 2200 00:00:00 GMT' }),
  rate_limited_ms: failing(429, null, { 'retry-after-ms': '250', 'retry-after': '7' }),
  insufficient_quota: failing(429, 'insufficient_quota', { 'retry-after': '7' }),
  payment_required: failing(402, null),
  unauthorized: failing(401, 'invalid_api_key'),
  forbidden: failing(403, null),
  no_model: failing(404, 'model_not_found'),
  server_error: failing(500, 'server_error'),
  overloaded: failing(503, null, { 'retry-after': '2' }),
  too_long: {
    status: 400,
    error: { code: 'context_length_exceeded', message: 'maximum context length is 8192 tokens' }
  },
  filtered: failing(400, 'content_filter'),
  flagged: {
    status: 403,
    error: { code: 403, message: 'flagged', metadata: { flagged_input: '' } }
  },
  bad_request: failing(400, 'invalid_request_error'),
  redirect: { status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
  error_in_answer: { body: '{"error":{"code":429,"message":"Rate limited upstream"}}' },
  html: { body: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } },
  broken_json: { body: '{"choices":[' },
  empty: { body: '{}' },
  cut: { cut: 'before' },
  cut_within: { cut: 'within' },
  slow: { delayMs: 5000 },
  truncated: { wrap: (json) => json.slice(0, 20), finishReason: 'length', belowTokens: 2048 },
  always_truncated: { wrap: (json) => json.slice(0, 20), finishReason: 'length' },
  markdown: { wrap: (json) => `Here is my grade:\n\`\`\`json\n${json}\n\`\`\`\n` },
  thinking: { wrap: (json) => `<think>{"score": 1}</think>${json}` },
  prose: { wrap: () => 'I would give it four out of five.' },
  out_of_range: { grade: 1e9 },
  unknown_label: { grade: 'splendid' },
  wrong_nonce: { nonce: 'deadbeef' },
  refusal: { refusal: 'I cannot grade this.' },
  filtered_reply: { wrap: () => '', finishReason: 'content_filter' },
  without_usage: { usage: null },
  strange_usage: { usage: { prompt_tokens: -1, completion_tokens: 'many' } }
} as const satisfies Record<string, Behaviour>

export type BehaviourName = keyof typeof judgeBehaviours
