/** One agent, as the examples of all routes about agents show it. */
import { lagExample } from '../page-parameters.ts'

export const metaExample = {
  applied: { from: '2026-01-30T12:00:00.000Z', to: '2026-01-31T13:00:00.000Z' },
  ...lagExample
}

const rate = { value: 0.94, n: 200, ci: [0.898, 0.965] }
const noRate = { value: null, n: 0, ci: null }

export const identityExample = {
  ...{ agent_id: 'refund-agent', name: 'Refunds', owner: 'payments', tags: ['production'] },
  ...{ first_seen: '2026-01-02T08:00:12.000Z', last_seen: '2026-01-31T11:59:58.000Z' }
}

export const editableExample = {
  description: 'Answers refund requests.',
  prices: { '*': { input_usd_per_million: 3, output_usd_per_million: 15 } },
  archived_at: null,
  updated_at: '2026-01-05T09:30:00.000Z'
}

const volume = { now: 210, previous: 190, change: 0.08 }
const sparkline = [{ t: '2026-01-30T12:00:00.000Z', n: 210 }]
export const costExample = { usd: 1.89, priced_share: 1, price_source: 'profile' }

const measured = {
  ...{ decisions: 210, input_tokens: 130_000, output_tokens: 100_000 },
  ...{ error_rate: noRate, latency_ms: { value: 820, n: 210 } }
}

export const facetExample = {
  value: '2.4.0',
  ...{ first_seen: '2026-01-20T10:00:00.000Z', last_seen: '2026-01-31T11:00:00.000Z' },
  ...measured
}

export const domainExample = { domain: 'refunds', ...measured }

export const scoreExample = {
  ...{ name: 'refund_policy', source: 'evaluator', version: 3 },
  evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55',
  ...{ n_scored: 200, n_eligible: 210, mean: 0.94, mean_ci: [0.907, 0.973], n_valued: 200 },
  ...{ pass_rate: rate, first_seen: '2026-01-30T12:00:00.000Z' },
  points: [{ t: '2026-01-30T12:00:00.000Z', ...rate, pass_rate: rate }]
}

const sample = { n: 210, since: '2026-01-30T12:00:04.000Z' }

export const sessionsExample = {
  sessions: [
    {
      ...{ session_id: 'ticket-8812', decisions: 3, input_tokens: 1900, output_tokens: 1400 },
      ...{ first_seen: '2026-01-31T11:50:00.000Z', last_seen: '2026-01-31T11:59:58.000Z' }
    }
  ],
  count: 70,
  sample
}

export const ingestionExample = {
  since: '2026-01-30T12:00:00.000Z',
  rejected: { invalid_decision: 2 },
  dropped: {},
  hours: [{ t: '2026-01-31T10:00:00.000Z', rejected: 2, dropped: 0 }]
}

export const profileExample = {
  ...identityExample,
  ...{ status: 'active', silence: null, ...editableExample },
  volume: { ...volume, sparkline },
  tokens: {
    input: { total: 130_000, n: 210, p50: 600, p95: 900 },
    output: { total: 100_000, n: 210, p50: 450, p95: 800 },
    output_per_input: 0.77
  },
  cost: costExample,
  pass_rate: { ...rate, previous: rate },
  verdicts: { pass: 188, fail: 12, mixed: 0, none: 10 },
  evaluation: { evaluated: 200, partial: 0, failed: 4, without_runs: 6 },
  ...{ scores: [scoreExample], error_rate: noRate },
  latency_ms: { value: 820, n: 210, p50: 700, p95: 1900 },
  domains: [domainExample],
  sessions: { count: 70, decisions: 210, decisions_per_session: 3 },
  ...{ sample, versions: [facetExample], models: [], sdk_versions: [] },
  worst: [
    {
      decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
      received_at: '2026-01-31T11:40:00.000Z',
      ...{ session_id: 'ticket-8812', domain: 'refunds', status: 'evaluated', verdict: 'fail' },
      failed_scores: ['refund_policy']
    }
  ],
  ingestion: ingestionExample
}

export const listedExample = {
  ...identityExample,
  ...{ status: 'active', volume, sparkline, tokens: { input: 130_000, output: 100_000 } },
  ...{ cost: costExample, pass_rate: rate, error_rate: noRate },
  evaluation: { evaluated: 200, partial: 0, failed: 4 },
  versions: ['2.4.0']
}

const difference = {
  ...{ a: { value: 0.9, n: 400 }, b: { value: 0.95, n: 420 } },
  ...{ delta: 0.05, ci: [0.014, 0.087], significant: true }
}
const unknown = {
  ...{ a: { value: null, n: 0 }, b: { value: null, n: 0 } },
  ...{ delta: null, ci: null, significant: null }
}
const side = { n: 420, since: '2026-01-24T12:00:00.000Z', until: '2026-01-31T11:59:58.000Z' }

export const compareExample = {
  agent_id: 'refund-agent',
  a: { version: '2.3.1', ...side },
  b: { version: '2.4.0', ...side },
  measures: {
    ...{ input_tokens: unknown, output_tokens: unknown, latency_ms: unknown },
    ...{ error_rate: unknown, pass_rate: difference }
  },
  scores: [],
  meta: metaExample
}
