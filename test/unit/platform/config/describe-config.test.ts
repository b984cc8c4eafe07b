/** Tests that a configuration is shown without its secrets. */
import { expect, test } from '@jest/globals'
import { describeConfig } from '../../../../platform/config/describe-config.ts'
import { createAuthority } from '../../../support/certificates.ts'

test('masks secrets and passwords, summarizes certificates, and shows the rest', async () => {
  const { ca } = await createAuthority('An authority')
  const lines = describeConfig({
    KAFKA_BROKERS: ['a:1', 'b:2'],
    KAFKA_TLS: true,
    KAFKA_TLS_CA: ca,
    KAFKA_TLS_KEY: null,
    KAFKA_SASL_PASSWORD: 'hunter2',
    REDIS_URL: 'rediss://user:hunter2@redis:6380/1',
    DATABASE_URL: 'postgres://postgres/sluice',
    GATEWAY_PORT: 8080
  })
  expect(lines).toEqual([
    'KAFKA_BROKERS=a:1,b:2',
    'KAFKA_TLS=true',
    expect.stringMatching(/^KAFKA_TLS_CA=CN=An authority until .+ GMT$/),
    'KAFKA_TLS_KEY=',
    'KAFKA_SASL_PASSWORD=(secret)',
    'REDIS_URL=rediss://user:***@redis:6380/1',
    'DATABASE_URL=postgres://postgres/sluice',
    'GATEWAY_PORT=8080'
  ])
  expect(lines.join()).not.toContain('hunter2')
})
