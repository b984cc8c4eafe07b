/** Writes a shell command that sends a decision again. */
import type { DecisionParts } from './decision-text.ts'

const sentFields = [
  'agent_id',
  'session_id',
  'domain',
  'input_tokens',
  'output_tokens',
  'sdk_version'
] as const

/**
 * Returns the command. The body is a here-document: it needs no quoting, has no size limit, and no
 * line of JSON equals its end mark.
 */
export function curlOfDecision({ fields, payload }: DecisionParts, origin: string): string {
  const { input, output, metadata } = payload
  const members = [`"input":${input}`, `"output":${output}`, `"metadata":${metadata}`]
  for (const name of sentFields) {
    if (fields[name] !== null) members.push(`"${name}":${JSON.stringify(fields[name])}`)
  }
  return [
    `curl --globoff '${origin}/v1/ingest' \\`,
    '  -H "Authorization: Bearer $SLUICE_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    "  --data-binary @- <<'END_OF_JSON'",
    `{${members.join(',')}}`,
    'END_OF_JSON'
  ].join('\n')
}
