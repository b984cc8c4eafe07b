/** Sample code that sends a first decision to this installation. */
import type { IncomingHttpHeaders } from 'node:http'

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
