/** Defines how the judge server responds: correct and faulty responses of LLM providers. */

export interface Behaviour {
  /** Delay before the response in milliseconds. */
  readonly delayMs?: number
  /** Closes the connection before or during the response. */
  readonly cut?: 'before' | 'within'
  /** Response status. Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** `error` member of the response body. */
  readonly error?: Readonly<Record<string, unknown>>
  /** Complete response body. */
  readonly body?: string
  /** Replaces the grade that the model returned. */
  readonly grade?: number | string
  /** Replaces the nonce from the prompt. */
  readonly nonce?: string
  /** Rewrites the message text. */
  readonly wrap?: (json: string) => string
  readonly refusal?: string
  readonly finishReason?: string
  /** Token usage. Null omits it from the response. */
  readonly usage?: Readonly<Record<string, unknown>> | null
  /**
   * Applies `wrap` and `finishReason` only to requests with a token limit (`max_tokens` or
   * `max_completion_tokens`) below this number.
   */
  readonly belowTokens?: number
}

function failing(status: number, code: string | null, headers: Record<string, string> = {}) {
  // Like real providers, repeat a secret and the prompt in the message. Sluice must not log either.
  const message = `Incorrect: sk-secret123 for the prompt "judge this"`
  return { status, headers, error: { code, type: code, message, param: null } }
}

/** Behaviours by name, so that a separate judge server process can select them. */
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
