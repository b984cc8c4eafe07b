/** Defines the sections of docs/reference/api.md: route tag, title and guides. */

interface Section {
  readonly title: string
  /** File names in docs/guides/, without `.md`. */
  readonly guides: readonly string[]
}

export const apiSections: Readonly<Record<string, Section>> = {
  ingest: { title: 'Send decisions', guides: ['send-decisions'] },
  decisions: {
    title: 'Decisions',
    guides: [
      'read-decisions',
      'find-decisions',
      'delete-decisions',
      'push-scores',
      'tails-and-exports',
      'agents-and-statistics'
    ]
  },
  ingestion: { title: 'Ingestion', guides: ['ingestion'] },
  profiles: { title: 'Agents', guides: ['agents-and-statistics'] },
  evaluation: {
    title: 'Scores and runs',
    guides: ['read-scores', 'push-scores', 'evaluation-runs']
  },
  evaluators: { title: 'Evaluators', guides: ['own-evaluators'] },
  rules: { title: 'Rules', guides: ['configure-evaluation'] },
  connections: { title: 'Connections', guides: ['configure-evaluation'] },
  budget: { title: 'Budget', guides: ['configure-evaluation'] },
  'dead-letters': { title: 'Dead-letter records', guides: ['dead-letter-records'] },
  webhooks: { title: 'Webhooks', guides: ['webhooks'] },
  auth: { title: 'Accounts and sessions', guides: ['accounts', 'onboarding'] },
  organization: { title: 'Organization', guides: ['members'] },
  'api-keys': { title: 'API keys', guides: ['api-keys'] }
}
