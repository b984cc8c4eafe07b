/** Defines programs that use every entry point of the packed SDK, as an ES module and as a CommonJS
 * module.
 */

const body = `
  const sluice = init({ agentId: 'packed', batchIntervalMs: 10 })
  const double = sluice.observe(async (n) => n * 2)
  sluice.withContext({ sessionId: 's' }, () => sluice.log({ input: 1n, output: 'logged' }))
  await double(21)
  console.log(JSON.stringify(await sluice.flush()), typeof wrapOpenAI, typeof sluiceMiddleware)
  await sluice.close()
`
const entries = [
  ['{ init }', '@sluice/sdk'],
  ['{ wrapOpenAI }', '@sluice/sdk/openai'],
  ['{ sluiceMiddleware }', '@sluice/sdk/ai']
]

function imports(write: (name: string, entry: string) => string): string {
  return entries.map(([name = '', entry = '']) => write(name, entry)).join('\n')
}

const imported = imports((name, entry) => `import ${name} from '${entry}'`)
const required = imports((name, entry) => `const ${name} = require('${entry}')`)

export const packedPrograms: Readonly<Record<string, string>> = {
  'module.mjs': imported + body,
  'script.cjs': `${required}\nvoid (async () => {${body}})()\n`
}

/** Expected output of every program. */
export const printed = '{"sent":2,"failed":0,"dropped":0,"pending":0} function function\n'
export const sentDecisions = [
  { agent_id: 'packed', session_id: 's', input: 1, output: 'logged' },
  { agent_id: 'packed', input: 21, output: '42' }
]
