/** Tests that each SDK limits its memory use and keeps consistent counts while the server is
 * unreachable.
 */
import { expect, test } from '@jest/globals'
import { onEnd } from '../support/cleanup.ts'
import { sdks, startDriver } from '../support/sdk/driver.ts'
import type { Driver } from '../support/sdk/driver.ts'
import { apiKey, identityFaultsOf } from '../support/sdk/invariants.ts'
import { startScriptedServer } from '../support/sdk/scripted-server.ts'

/**
 * Number of decisions to log after the queue is full. To test with ten million:
 * `SLUICE_TEST_EVENTS=10000000 npm test -- test/sdk/dead-server`
 */
const events = Number(process.env['SLUICE_TEST_EVENTS'] ?? 300_000)
const timeoutMs = Math.max(120_000, events)
const rounds = 10
/** Maximum number of queued decisions. Decisions this small never reach the limit in bytes. */
const queueMaxItems = 10_000
/** A small heap forces Node to collect garbage. The full queue takes about 10 MB. */
const environment = { NODE_OPTIONS: '--max-old-space-size=96' }
const growthMaxBytes = 100_000_000
const megabyte = 1_000_000

async function rssOf(driver: Driver): Promise<number> {
  return Number((await driver.ask({ do: 'host' }))['rss_max_bytes'])
}

test.each(sdks)(
  `limits memory while logging ${events} events to an unreachable server: %s`,
  async (sdk) => {
    const server = await startScriptedServer({ listening: false })
    const driver = startDriver(sdk, environment)
    onEnd(driver.kill)
    const options = { api_key: apiKey, base_url: server.url, shutdown_ms: 1000 }
    await driver.ask({ do: 'init', options })
    const decision = {
      input: {
        question: 'What is the refund policy?',
        context: { $value: 'text', characters: 500 }
      },
      output: 'answer {n}',
      agent_id: 'refunds'
    }
    const log = { do: 'log', times: events / rounds, pause_every: 1000, decision }
    await driver.ask({ ...log, times: queueMaxItems * 2 })
    const full = await rssOf(driver)
    for (let round = 0; round < rounds; round++) await driver.ask(log)
    const growth = (await rssOf(driver)) - full

    const stats = await driver.ask({ do: 'stats' })
    expect(identityFaultsOf(stats)).toEqual([])
    expect(stats).toMatchObject({ logged: events + queueMaxItems * 2, sent: 0 })
    expect(Number(stats['pending'])).toBeLessThanOrEqual(queueMaxItems)
    expect(growth).toBeLessThan(growthMaxBytes)
    const peak = ((full + growth) / megabyte).toFixed(0)
    const grown = (growth / megabyte).toFixed(0)
    process.stdout.write(`${sdk}: ${events} events, peak ${peak} MB, grew ${grown} MB when full\n`)

    expect(await driver.end('return')).toMatchObject({ code: 0 })
    expect(driver.stderr()).toMatch(/^sluice: \d+ decisions were not sent/m)
    expect(driver.stderr().match(/^sluice: /gm)?.length).toBeLessThan(20)
  },
  timeoutMs
)
