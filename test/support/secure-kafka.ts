/** Starts a Kafka broker with TLS listeners: one with passwords, one with client certificates. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, createDownloads } from '../../stack/downloads.ts'
import { propertiesOf } from '../../stack/native/kafka.ts'
import { freePort } from '../../stack/ports.ts'
import { javaCommand, problemsOf, thisMachine } from '../../stack/preflight.ts'
import { kafkaAnswers } from '../../stack/probes.ts'
import { createSupervisor } from '../../stack/processes/supervisor.ts'
import type { Authority } from './certificates.ts'
import { onEnd } from './cleanup.ts'

export interface SecureKafka {
  /** Broker address for TLS and SASL. The certificate is valid for 127.0.0.1 only. */
  readonly saslBrokers: string
  /** Broker address for TLS with client certificates. */
  readonly mutualBrokers: string
  /** Broker address without TLS. */
  readonly plainBrokers: string
  readonly username: string
  readonly password: string
}

const clusterId = 'c2x1aWNlLXNlY3VyZS1rZg'
const readyTimeoutMs = 60_000
const stopDeadlineMs = 10_000
const java = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
const credentials = { username: 'sluice', password: 'of-one-test' }
const loginModules = 'org.apache.kafka.common.security'

/**
 * Checks whether Kafka can run natively on this machine, for which it needs Java. Kafka in Docker
 * is not supported here.
 */
export function canStartSecureKafka(): boolean {
  return problemsOf('native', thisMachine(tmpdir())).length === 0
}

/** @param settings additional lines of server.properties */
export async function startSecureKafka(
  authority: Authority,
  settings: Readonly<Record<string, string>> = {}
): Promise<SecureKafka> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-secure-'))
  onEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const [plain, controller] = [await freePort(), await freePort()]
  const [sasl, mutual] = [await freePort(), await freePort()]
  const { cert, key } = await authority.issue('kafka', [{ type: 7, ip: '127.0.0.1' }])
  const pems = { keys: join(folder, 'broker.pem'), trusted: join(folder, 'ca.pem') }
  writeFileSync(pems.keys, `${cert}\n${key}`)
  writeFileSync(pems.trusted, authority.ca)
  const properties = join(folder, 'server.properties')
  const base = propertiesOf({ client: plain, controller }, join(folder, 'log'))
  const listeners = { PLAINTEXT: plain, SASL_SSL: sasl, SSL: mutual }
  // Later lines override earlier ones.
  const security = securityProperties({ listeners, controller, pems })
  writeFileSync(properties, base + security + linesOf(settings))
  await start(folder, properties, plain)
  const [saslBrokers, mutualBrokers, plainBrokers] = [sasl, mutual, plain].map(
    (port) => `127.0.0.1:${port}`
  ) as [string, string, string]
  return { saslBrokers, mutualBrokers, plainBrokers, ...credentials }
}

type Security = {
  listeners: Record<'PLAINTEXT' | 'SASL_SSL' | 'SSL', number>
  controller: number
  pems: { keys: string; trusted: string }
}

function securityProperties({ listeners, controller, pems }: Security): string {
  const clients = Object.entries(listeners).map(([name, port]) => `${name}://127.0.0.1:${port}`)
  const { username, password } = credentials
  const user = `user_${username}="${password}"`
  const plain = `${loginModules}.plain.PlainLoginModule required ${user};`
  const scram = `${loginModules}.scram.ScramLoginModule required;`
  const settings = {
    listeners: [...clients, `CONTROLLER://127.0.0.1:${controller}`].join(),
    'advertised.listeners': clients.join(),
    'listener.security.protocol.map':
      'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.sasl_ssl.plain.sasl.jaas.config': plain,
    'listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': scram,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': pems.keys,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': pems.trusted,
    'listener.name.ssl.ssl.client.auth': 'required'
  }
  return linesOf(settings)
}

function linesOf(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

async function start(folder: string, properties: string, port: number): Promise<void> {
  const downloads = createDownloads(cacheFolder(process.env))
  const classPath = join(await downloads.fetch('kafka-4.3.1', () => {}), '*')
  const command = javaCommand(process.env)
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${credentials.username},password=${credentials.password}]`
  ])
  const format = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties]
  await promisify(execFile)(command, [...java, '-cp', classPath, ...format, ...users])
  mkdirSync(join(folder, 'logs'), { recursive: true })
  const supervisor = createSupervisor({ folder, name: 'secure' })
  onEnd(async () => await supervisor.stopAll())
  await supervisor.start({
    name: 'kafka',
    title: 'The encrypted Kafka',
    command,
    args: [...java, '-cp', classPath, 'kafka.Kafka', properties],
    probe: async () => await kafkaAnswers('127.0.0.1', port),
    ...{ readyTimeoutMs, stopSignal: 'SIGKILL', stopDeadlineMs }
  })
}
