/** Tests options, environment and defaults: invalid values cause warnings, never exceptions. */
import { describe, expect, test } from '@jest/globals'
import { resolveSettings } from '../../../../../sdk/typescript/src/resolve-settings.ts'
import { createFakePlatform } from '../../../../support/sdk/fake-platform.ts'

function resolve(options: object, environment: Record<string, string> = {}) {
  const platform = createFakePlatform(environment)
  return { settings: resolveSettings(options, platform), lines: platform.lines }
}

describe('settings', () => {
  test('prefer an option over the environment, and the environment over the default', () => {
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

  test('parse a string option like its environment variable', () => {
    const given = { timeoutMs: '5', sampleRate: '2.5e-1', debug: 'True', domain: '5' }
    const { settings, lines } = resolve(given)
    expect(settings).toMatchObject({ timeoutMs: 5, sampleRate: 0.25, debug: true, domain: '5' })
    expect(lines).toEqual([])
  })

  test.each([
    [{ batchMaxItems: 0 }, 'batchMaxItems must be an integer from 1 to 1000; using 50'],
    [{ batchMaxItems: 2.5 }, 'batchMaxItems must be an integer from 1 to 1000; using 50'],
    [{ sampleRate: NaN }, 'sampleRate must be a number from 0 to 1; using 1'],
    [{ timeoutMs: '5s' }, 'timeoutMs must be an integer'],
    [{ mode: 'fast' }, 'mode must be one of auto, batched, immediate; using auto'],
    [{ timeoutMs: '0x10' }, 'timeoutMs must be'],
    [{ timeoutMs: '' }, 'timeoutMs must be'],
    [{ debug: 'yes' }, 'debug must be true or false; using false'],
    [
      { baseUrl: 'sluice.example' },
      'baseUrl must be a URL such as https://sluice.example.com; using none'
    ],
    [{ baseUrl: 'ftp://sluice.example' }, 'baseUrl must be'],
    [{ baseUrl: 'https://me:secret@sluice.example' }, 'baseUrl must be'],
    [{ baseUrl: 'https://sluice.example/?' }, 'baseUrl must be'],
    [{ baseUrl: 'https://sluice.example\n.org' }, 'baseUrl must be'],
    [{ apiKey: 'slk_live\n' }, 'apiKey must be an API key such as slk_live_…'],
    [{ onDrop: 'log' }, 'onDrop must be a function'],
    [{ batch_max_items: 5 }, 'unknown option batch_max_items (did you mean batchMaxItems?)'],
    [{ retryBudgtMs: 5 }, 'unknown option retryBudgtMs (did you mean retryBudgetMs?)'],
    [{ colour: 'red' }, 'unknown option colour']
  ])('warn once about %p and use the default', (options, warning) => {
    const { settings, lines } = resolve(options)
    const { settings: defaults } = resolve({})
    expect(lines).toEqual([expect.stringContaining(`sluice: ${warning}`)])
    expect(settings).toEqual(defaults)
  })

  test('name the environment variable in a warning, and hide its value', () => {
    const { lines } = resolve({}, { SLUICE_BASE_URL: 'https://me:secret@sluice.example' })
    expect(lines).toEqual([
      'sluice: SLUICE_BASE_URL must be a URL such as https://sluice.example.com; using none'
    ])
  })

  test('send nothing if redact is not a function', () => {
    const { settings } = resolve({ redact: 'all' })
    expect(() => settings.redact?.({ input: 1, output: '' })).toThrow(TypeError)
  })

  test('call onError, which may throw', async () => {
    const calls: unknown[] = []
    resolve({
      debug: 1,
      onError: (error: Error, about: unknown) => {
        calls.push([error.message, about])
        throw error
      }
    })
    await Promise.resolve()
    expect(calls).toEqual([
      ['debug must be true or false; using false', { stage: 'config', count: 0 }]
    ])
  })

  test.each([[null], [undefined], ['options'], [42]])('accept %p as options', (options) => {
    expect(resolve(options as never).settings.batchMaxItems).toBe(50)
  })
})
