/** Options, environment and defaults; what is not valid is told, and never thrown. */
import { describe, expect, test } from '@jest/globals'
import { resolveSettings } from '../../../../../sdk/typescript/src/resolve-settings.ts'
import { createFakePlatform } from '../../../../support/sdk/fake-platform.ts'

function resolve(options: object, environment: Record<string, string> = {}) {
  const platform = createFakePlatform(environment)
  return { settings: resolveSettings(options, platform), lines: platform.lines }
}

describe('settings', () => {
  test('an option wins over the environment, and that over the default', () => {
    const environment = { SLUICE_BATCH_MAX_ITEMS: '7', SLUICE_AGENT_ID: 'from outside' }
    const { settings, lines } = resolve({ batchMaxItems: 3 }, environment)
    expect(settings).toMatchObject({
      batchMaxItems: 3,
      agentId: 'from outside',
      batchIntervalMs: 1000
    })
    expect(lines).toEqual([])
  })

  test.each([
    ['SLUICE_DISABLED', '1', 'disabled', true],
    ['SLUICE_DISABLED', 'FALSE', 'disabled', false],
    ['SLUICE_SAMPLE_RATE', ' 0.25 ', 'sampleRate', 0.25],
    ['SLUICE_QUEUE_POLICY', 'drop-newest', 'queuePolicy', 'drop-newest'],
    ['SLUICE_API_KEY', '', 'apiKey', null]
  ])('%s=%s', (variable, text, name, value) => {
    const { settings, lines } = resolve({}, { [variable]: text })
    expect(settings).toHaveProperty(name, value)
    expect(lines).toEqual([])
  })

  test('an option that is given as a text is read as its variable would be', () => {
    const given = { timeoutMs: '5', sampleRate: '2.5e-1', debug: 'True', domain: '5' }
    const { settings, lines } = resolve(given)
    expect(settings).toMatchObject({ timeoutMs: 5, sampleRate: 0.25, debug: true, domain: '5' })
    expect(lines).toEqual([])
  })

  test.each([
    [{ batchMaxItems: 0 }, 'option batchMaxItems is not valid: give a whole number from 1 to 1000'],
    [{ batchMaxItems: 2.5 }, 'option batchMaxItems is not valid: give a whole number from 1 to'],
    [{ sampleRate: NaN }, 'option sampleRate is not valid: give a number from 0 to 1'],
    [{ timeoutMs: '5s' }, 'option timeoutMs is not valid: give a whole number'],
    [{ mode: 'fast' }, 'option mode is not valid: give one of auto, batched, immediate'],
    [{ timeoutMs: '0x10' }, 'option timeoutMs is not valid'],
    [{ timeoutMs: '' }, 'option timeoutMs is not valid'],
    [{ debug: 'yes' }, 'option debug is not valid: give true or false'],
    [{ baseUrl: 'sluice.example' }, 'option baseUrl is not valid: give an address such as'],
    [{ baseUrl: 'ftp://sluice.example' }, 'option baseUrl is not valid'],
    [{ baseUrl: 'https://me:secret@sluice.example' }, 'option baseUrl is not valid'],
    [{ baseUrl: 'https://sluice.example/?' }, 'option baseUrl is not valid'],
    [{ baseUrl: 'https://sluice.example\n.org' }, 'option baseUrl is not valid'],
    [{ apiKey: 'slk_live\n' }, 'option apiKey is not valid: give a key such as slk_live_…'],
    [{ onDrop: 'log' }, 'option onDrop is not valid: give a function'],
    [{ batch_max_items: 5 }, 'option batch_max_items is not known: did you mean batchMaxItems?'],
    [{ retryBudgtMs: 5 }, 'option retryBudgtMs is not known: did you mean retryBudgetMs?'],
    [{ colour: 'red' }, 'option colour is not known']
  ])('%p is one warning, and the default holds', (options, warning) => {
    const { settings, lines } = resolve(options)
    const { settings: defaults } = resolve({})
    expect(lines).toEqual([expect.stringContaining(`sluice: ${warning}`)])
    expect(settings).toEqual(defaults)
  })

  test('a value of the environment is told by its variable, and not shown', () => {
    const { lines } = resolve({}, { SLUICE_BASE_URL: 'https://me:secret@sluice.example' })
    expect(lines).toEqual([
      'sluice: SLUICE_BASE_URL is not valid: give an address such as https://sluice.example.com'
    ])
  })

  test('without a redact that can be called nothing is sent', () => {
    const { settings } = resolve({ redact: 'all' })
    expect(() => settings.redact?.({ input: 1, output: '' })).toThrow(TypeError)
  })

  test('onError is told, and may throw', async () => {
    const told: unknown[] = []
    resolve({
      debug: 1,
      onError: (error: Error, about: unknown) => {
        told.push([error.message, about])
        throw error
      }
    })
    await Promise.resolve()
    expect(told).toEqual([
      ['option debug is not valid: give true or false', { stage: 'config', count: 0 }]
    ])
  })

  test.each([[null], [undefined], ['options'], [42]])('options that are %p', (options) => {
    expect(resolve(options as never).settings.batchMaxItems).toBe(50)
  })
})
