/** Checks the health of a container: `is-up.mjs [/livez | /readyz]` exits with 0 if it is healthy,
 * otherwise with 1.
 */
const timeoutMs = 4_000
const { MANAGEMENT_PORT: port = '9464' } = process.env
const [path = '/livez'] = process.argv.slice(2)
const url = `http://127.0.0.1:${port}${path}`
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
  // Docker stores the output, so `docker inspect` shows what is missing.
  process.stdout.write(`${await answer.text()}\n`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  process.stdout.write(`${url} does not answer: ${String(error)}\n`)
  process.exitCode = 1
}
