/** Creates a TypeScript SDK client on a fake platform. */
import { createClient } from '../../../sdk/typescript/src/client.ts'
import type { Client } from '../../../sdk/typescript/src/client.ts'
import type { Options } from '../../../sdk/typescript/src/options.ts'
import { resolveSettings } from '../../../sdk/typescript/src/resolve-settings.ts'
import { createFakePlatform } from './fake-platform.ts'
import type { FakePlatform, Gateway } from './fake-platform.ts'

interface FakeClient {
  readonly client: Client
  readonly platform: FakePlatform
  /** Logs `count` decisions with the outputs '0', '1' and so on. */
  log(count: number): void
  /** Returns the outputs of the decisions in each request sent. */
  sent(): string[][]
}

export function createFakeClient(options: Options = {}, gateway?: Gateway): FakeClient {
  const platform = createFakePlatform()
  if (gateway !== undefined) platform.gateway = gateway
  const known = { apiKey: 'slk_test_key', baseUrl: 'http://gateway', gzipOverBytes: 1_000_000 }
  const settings = resolveSettings({ ...known, ...options }, platform)
  const client = createClient({ settings, platform })
  let output = 0
  return {
    client,
    platform,
    log: (count) => {
      for (let index = 0; index < count; index++) {
        client.log({ input: null, output: String(output++) })
      }
    },
    sent: () =>
      platform.requests.map(({ decisions }) =>
        decisions.map((decision) => String(decision['output']))
      )
  }
}
