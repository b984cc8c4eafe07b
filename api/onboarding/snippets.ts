/** First requests, ready to be pasted: all that is missing is the key. */
import type { IncomingHttpHeaders } from 'node:http'

export interface Snippets {
  readonly curl: string
  readonly env: string
  readonly typescript: string
  readonly python: string
}

/** Where the key belongs. */
export const keyPlaceholder = 'slk_YOUR_API_KEY'

const agentId = 'first-agent'
const input = { question: 'May I have a refund for order 1017?' }
const output = 'Yes: it arrived damaged, and you asked within 30 days.'

const hostExpression = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/
const hostDefault = 'localhost:8080'

/** PUBLIC_URL, or the name under which the caller found us, as far as it is one. */
export function baseUrlOf(publicUrl: string | null, { host }: IncomingHttpHeaders): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  return `http://${host !== undefined && hostExpression.test(host) ? host : hostDefault}`
}

export function snippetsOf(baseUrl: string): Snippets {
  const body = JSON.stringify({ agent_id: agentId, input, output })
  // What is JSON here is TypeScript and Python as well.
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

// The key is SLUICE_API_KEY of the environment.
const sluice = init({ baseUrl: '${baseUrl}', agentId: '${agentId}' })
sluice.log({
  input: ${json.input},
  output: ${json.output}
})
console.log(await sluice.flush())
`,
    python: `# pip install sluice-sdk
import sluice

# The key is SLUICE_API_KEY of the environment.
sluice.init(base_url="${baseUrl}", agent_id="${agentId}")
sluice.log(
    input=${json.input},
    output=${json.output},
)
print(sluice.flush())
`
  }
}
