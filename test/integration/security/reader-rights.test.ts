/** Tests that the rights in docs/guides/read-topics.md allow reading and nothing else. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { createKafkaAdmin } from '../../../platform/kafka/kafka-admin.ts'
import { createKafkaClient } from '../../../platform/kafka/kafka-client.ts'
import { blocksIn, sectionOf } from '../../docs/pages.ts'
import { createAuthority } from '../../support/certificates.ts'
import { onEnd } from '../../support/cleanup.ts'
import { hasKafkaTools, installKafkaTools } from '../../support/kafka-tools.ts'
import { findReaderPython, hasKcat } from '../../support/reader-tools.ts'
import { canStartSecureKafka, startSecureKafka } from '../../support/secure-kafka.ts'
import type { SecureKafka } from '../../support/secure-kafka.ts'

jest.setTimeout(240_000)
const canRun = canStartSecureKafka() && hasKafkaTools() && hasKcat()
if (!canRun) process.stderr.write('kcat, or Java with Maven, is missing: rights are not tested.\n')
const describeIfAll = canRun ? describe : describe.skip
const bin = await findReaderPython()
if (bin === null) process.stderr.write('No Python for readers: its login is not tested.\n')

const run = promisify(execFile)
const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const topics = { DECISIONS_TOPIC: 'agent-decisions', EVALUATIONS_TOPIC: 'decision-evaluations' }
const others = ['agent-decisions.dead-letter']
const page = 'docs/guides/read-topics.md'
const heading = 'Rights of a reader'
const commands = blocksIn(sectionOf(page, heading), 'sh').join('')
/** Prints the topics that its user is allowed to describe. */
const program = `
import json, sys
from confluent_kafka.admin import AdminClient
print(json.dumps(sorted(AdminClient(json.loads(sys.argv[1])).list_topics(timeout=20).topics)))
`

let kafka: SecureKafka
let folder: string
let ca: string

beforeAll(async () => {
  if (!canRun) return
  const authority = await createAuthority('The authority of this Kafka')
  folder = mkdtempSync(join(tmpdir(), 'sluice-rights-'))
  onEnd(async () => rmSync(folder, { recursive: true, force: true }))
  ca = join(folder, 'ca.pem')
  writeFileSync(ca, authority.ca)
  ;[kafka] = await Promise.all([
    startSecureKafka(authority, {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS'
    }),
    installKafkaTools(folder)
  ])
  await createTopics()
})

async function createTopics(): Promise<void> {
  const security = { tls: null, sasl: null }
  const brokers = [kafka.plainBrokers]
  const client = createKafkaClient({ brokers, security, clientId: 'test', logger })
  const admin = createKafkaAdmin(client.admin())
  await admin.connect()
  for (const name of [...Object.values(topics), ...others]) {
    await admin.applyTopic({ name, partitions: 1, replicationFactor: 1, config: {} })
  }
  await admin.close()
  for (const topic of [...Object.values(topics), ...others]) await produceTo(topic, [])
}

/** Produces one record, as an unrestricted user if `login` is empty. */
async function produceTo(topic: string, login: string[]): Promise<unknown> {
  const brokers = login.length === 0 ? kafka.plainBrokers : kafka.saslBrokers
  const file = join(folder, 'record')
  writeFileSync(file, `from ${login.length === 0 ? 'a gateway' : 'a reader'}`)
  return await run('kcat', ['-P', '-b', brokers, '-t', topic, ...login, file])
}

/**
 * Returns the librdkafka settings from docs/guides/read-topics.md, with the credentials of the test
 * broker.
 */
function settings(): Record<string, string> {
  const [shown = ''] = blocksIn(sectionOf(page, heading), 'text')
  const pairs = shown
    .trim()
    .split(' ')
    .map((pair) => pair.split('=') as [string, string])
  const { username, password } = kafka
  const own = { 'sasl.username': username, 'sasl.password': password, 'ssl.ca.location': ca }
  return { ...Object.fromEntries(pairs), ...own }
}

/**
 * Uses PLAIN, because kcat with an old librdkafka cannot log in to Kafka with SCRAM (see
 * docs/guides/read-topics.md).
 */
function login(): string[] {
  const plain = { ...settings(), 'sasl.mechanism': 'PLAIN' }
  return Object.entries(plain).flatMap(([name, value]) => ['-X', `${name}=${value}`])
}

async function read(topic: string): Promise<string> {
  const which = ['-C', '-b', kafka.saslBrokers, '-t', topic, '-o', 'beginning', '-e', '-q']
  return (await run('kcat', [...which, ...login()], { timeout: 30_000 })).stdout
}

async function readAs(group: string): Promise<string> {
  const which = ['-b', kafka.saslBrokers, '-q', '-e', '-X', 'auto.offset.reset=earliest']
  const args = [...which, ...login(), '-G', group, ...Object.values(topics)]
  return (await run('kcat', args, { timeout: 60_000 })).stdout
}

const refused = (what: string) => ({
  stderr: expect.stringMatching(`${what} authorization failed`)
})

describeIfAll('a reader', () => {
  test('reads nothing without rights', async () => {
    await expect(read('agent-decisions')).rejects.toMatchObject(refused('Topic'))
  })

  test('reads both topics with the rights of the page, with and without its group', async () => {
    const path = `${folder}:${process.env['PATH']}`
    const env = { ...topics, KAFKA_BROKERS: kafka.plainBrokers, PATH: path }
    const granted = commands.replaceAll('User:data-team', `User:${kafka.username}`)
    await run('bash', ['-e', '-c', granted], { env })
    for (const topic of Object.values(topics)) expect(await read(topic)).toBe('from a gateway\n')
    expect(await readAs('data-team')).toBe('from a gateway\n'.repeat(2))
  })

  const testWithPython = bin === null ? test.skip : test
  testWithPython('logs in as the page says, and sees its topics', async () => {
    const options = JSON.stringify({ ...settings(), 'bootstrap.servers': kafka.saslBrokers })
    const python = join(bin ?? '', 'python')
    const { stdout } = await run(python, ['-c', program, options], { timeout: 60_000 })
    expect(JSON.parse(stdout)).toEqual(Object.values(topics))
  })

  test('writes nothing, and reads no other topic or group', async () => {
    await expect(produceTo('agent-decisions', login())).rejects.toMatchObject(refused('Topic'))
    for (const other of others) await expect(read(other)).rejects.toMatchObject(refused('Topic'))
    await expect(readAs('sluice-storage')).rejects.toMatchObject(refused('Group'))
    expect(await read('agent-decisions')).toBe('from a gateway\n')
  })
})
