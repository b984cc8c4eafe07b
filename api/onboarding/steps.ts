/** Lists the steps to the first score: whether each is done, what to do next, and sample code. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Progress } from './queries.ts'

export const stepIds = [
  'email_verified',
  'key_created',
  'first_request_seen',
  'first_decision_stored',
  'first_score'
] as const

interface Step {
  readonly id: (typeof stepIds)[number]
  readonly done_at: Date | null
  readonly hint: string
  readonly detail: string | null
}

export function countDone(steps: readonly Step[]): number {
  return steps.filter(({ done_at }) => done_at !== null).length
}

export function stepsOf(progress: Progress): readonly Step[] {
  const { keys, decision, score } = progress
  const [key] = keys
  return [
    ...emailSteps(progress),
    {
      id: 'key_created',
      done_at: key?.created_at ?? null,
      hint:
        'Create an API key with the scope ingest. This requires the role admin or higher. The ' +
        'key is shown once, so store it.',
      detail: key === undefined ? null : `The key ${key.key_id}, "${key.name}".`
    },
    {
      // Rejected requests count, because users want to know whether their request arrived.
      id: 'first_request_seen',
      done_at: firstRequestOf(progress),
      hint:
        'Run one of the snippets with your API key. A request with a mistyped or unknown key ' +
        'gets a 401 and is not shown here, because its organization is unknown.',
      detail: lastRejectionOf(progress)
    },
    {
      id: 'first_decision_stored',
      done_at: decision?.stored_at ?? null,
      hint:
        'A decision is stored within seconds of its 202. Check with GET ' +
        '/v1/ingest/{decision_id}?wait=5. Without a 202 it is not stored; recent_attempts ' +
        'says why.',
      detail: decision && `The decision ${decision.decision_id}.`
    },
    {
      id: 'first_score',
      done_at: score?.evaluated_at ?? null,
      hint:
        'A decision is evaluated within seconds. GET /v1/evaluation/{decision_id} says for ' +
        'every rule why there is no score.',
      detail: score && `The score "${score.name}" of ${score.decision_id}.`
    }
  ]
}

function emailSteps({ email }: Progress): readonly Step[] {
  if (email === null) return []
  const hint = 'POST the token of the email that was sent to you to /v1/auth/email/verify.'
  return [{ id: 'email_verified', done_at: email.email_verified_at, hint, detail: email.email }]
}

/**
 * Returns the time of the earliest known request. Can be later than the actual first request,
 * because only the last use of each key is stored.
 */
function firstRequestOf({ keys, attempts, uses, decision }: Progress): Date | null {
  const times = [
    ...(attempts ?? []).map(({ at }) => at),
    ...[...(uses?.values() ?? [])].map(({ at }) => at),
    ...keys.flatMap(({ last_used_at }) => last_used_at?.getTime() ?? []),
    ...(decision === null ? [] : [decision.received_at.getTime()])
  ]
  return times.length === 0 ? null : new Date(Math.min(...times))
}

function lastRejectionOf({ attempts, uses }: Progress): string | null {
  const [last] = attempts ?? []
  if (last !== undefined) {
    const { at, status, code, detail, request_id } = last
    const when = new Date(at).toISOString()
    return `Last rejected request: ${status} ${code}, ${detail} (${when}, request ${request_id})`
  }
  const isUnknown = attempts === null || uses === null
  return isUnknown ? 'Rejected requests cannot be shown: Redis is unavailable.' : null
}

export const keyPlaceholder = 'slk_YOUR_API_KEY'

const agentId = 'first-agent'
const input = { question: 'May I have a refund for order 1017?' }
const output = 'Yes: it arrived damaged, and you asked within 30 days.'

const hostExpression = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/
const hostDefault = 'localhost:8080'

/**
 * Returns PUBLIC_URL. If it is not set, derives the URL from the Host header, or uses localhost if
 * the header is missing or invalid.
 */
export function baseUrlOf(publicUrl: string | null, { host }: IncomingHttpHeaders): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  return `http://${host !== undefined && hostExpression.test(host) ? host : hostDefault}`
}

export function snippetsOf(baseUrl: string) {
  const body = JSON.stringify({ agent_id: agentId, input, output })
  // The JSON of these values is also valid TypeScript and Python.
  const json = { input: JSON.stringify(input), output: JSON.stringify(output) }
  return {
    curl: `curl -i '${baseUrl}/v1/ingest' \\
  -H 'Authorization: Bearer ${keyPlaceholder}' \\
  -H 'Content-Type: application/json' \\
  -d '${body}'
`,
    env: `export SLUICE_BASE_URL='${baseUrl}'
export SLUICE_API_KEY='${keyPlaceholder}'
`,
    typescript: `// npm install @sluice/sdk
import { init } from '@sluice/sdk'

// The key is read from the environment variable SLUICE_API_KEY.
const sluice = init({ baseUrl: '${baseUrl}', agentId: '${agentId}' })
sluice.log({
  input: ${json.input},
  output: ${json.output}
})
console.log(await sluice.flush())
`,
    python: `# pip install sluice-sdk
import sluice

# The key is read from the environment variable SLUICE_API_KEY.
sluice.init(base_url="${baseUrl}", agent_id="${agentId}")
sluice.log(
    input=${json.input},
    output=${json.output},
)
print(sluice.flush())
`
  }
}
