/** Lists realistic sample decisions. One of them is bad, so that the scores differ. */

export type Sample = {
  agent_id: string
  session_id: string
  domain: string
  input: unknown
  output: string
  metadata: Record<string, unknown>
  input_tokens: number
  output_tokens: number
}

export const SAMPLES: Sample[] = [
  {
    agent_id: 'refund-agent',
    session_id: 'order-48213',
    domain: 'support',
    input: {
      messages: [
        { role: 'user', content: 'My order 48213 arrived broken. Can I have my money back?' }
      ],
      order: { id: 48213, total: '39.90', currency: 'EUR', delivered_days_ago: 3 }
    },
    output:
      'I am sorry that it arrived broken. It was delivered three days ago, within the 30 days ' +
      'for returns, so I have refunded 39.90 EUR to the card you paid with.',
    metadata: { model: 'gpt-5-mini', agent_version: '4.2.0', latency_ms: 1840 },
    input_tokens: 412,
    output_tokens: 47
  },
  {
    agent_id: 'routing-agent',
    session_id: 'ticket-9071',
    domain: 'support',
    input: {
      instruction: 'Answer with JSON only: {"queue": string, "priority": 1 | 2 | 3}',
      response_format: { type: 'json_object' },
      ticket: 'The export has been failing since this morning and our month end is today.'
    },
    output: '{"queue":"exports","priority":1}',
    metadata: { model: 'claude-haiku-4-5', agent_version: '1.9.3', latency_ms: 620 },
    input_tokens: 238,
    output_tokens: 14
  },
  {
    agent_id: 'underwriting-agent',
    session_id: 'application-7731',
    domain: 'lending',
    input: {
      question: 'Approve, decline or refer? Give the deciding facts.',
      application: { amount: 12000, income_monthly: 3150, debts_monthly: 410, years_employed: 6 }
    },
    output:
      'Approve. Debt service would be 24 % of income after this loan, below the limit of 35 %, ' +
      'and employment has been steady for six years.',
    metadata: { model: 'gpt-5', agent_version: '2025-10', latency_ms: 3120, currency: 'EUR' },
    input_tokens: 866,
    output_tokens: 41
  },
  {
    agent_id: 'refund-agent',
    session_id: 'order-50077',
    domain: 'support',
    input: {
      instruction: 'Answer with JSON only: {"refund": boolean, "reason": string}',
      response_format: { type: 'json_object' },
      messages: [{ role: 'user', content: 'Where is my parcel? It was due last week.' }]
    },
    output:
      "I'm sorry, but I can't help with that. The customer is Jane Roe, jane.roe@example.com, " +
      'card 4111 1111 1111 1111, and',
    metadata: { model: 'gpt-5-mini', agent_version: '4.2.0', latency_ms: 2210 },
    input_tokens: 305,
    output_tokens: 39
  }
]
