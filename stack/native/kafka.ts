/** Runs Apache Kafka as one process that is both broker and controller. */
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../ports.ts'
import { kafkaAnswers } from '../probes.ts'
import { temporaryFolderOption } from './java-temporary-folder.ts'
import type { NativeContext } from './native-service.ts'

const CLUSTER_ID = 'c2x1aWNlLWxvY2FsLWtmaw'
const READY_TIMEOUT_MS = 60_000
const FORMAT_TIMEOUT_MS = 60_000
const STOP_DEADLINE_MS = 30_000

const LOGGING = `<Configuration status="warn" shutdownHook="disable">
  <Appenders>
    <Console name="out"><PatternLayout pattern="%d %p %c{1} %m%n"/></Console>
  </Appenders>
  <Loggers>
    <Root level="info"><AppenderRef ref="out"/></Root>
    <Logger name="org.apache.kafka.common.utils.AppInfoParser" level="warn"/>
  </Loggers>
</Configuration>
`

type Ports = { client: number; controller: number; proxy?: { listen: number; advertised: number } }

/** Returns server.properties for a combined node that listens only on the loopback address. */
export function propertiesOf(ports: Ports, logFolder: string): string {
  const listeners = [`PLAINTEXT://127.0.0.1:${ports.client}`]
  const advertised = [...listeners]
  if (ports.proxy !== undefined) {
    listeners.push(`PROXY://127.0.0.1:${ports.proxy.listen}`)
    advertised.push(`PROXY://127.0.0.1:${ports.proxy.advertised}`)
  }
  const settings: Record<string, string | number> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${ports.controller}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: [...listeners, `CONTROLLER://127.0.0.1:${ports.controller}`].join(','),
    'advertised.listeners': advertised.join(','),
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PROXY:PLAINTEXT',
    'log.dirs': logFolder,
    'auto.create.topics.enable': 'false',
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    // The default reserves 128 MiB of heap for the log cleaner, which has little to do here.
    'log.cleaner.dedupe.buffer.size': 8_388_608,
    'num.network.threads': 2,
    'num.io.threads': 4
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/** Formats the storage folder. Keeps the data of a folder that is already formatted. */
async function format(context: NativeContext, classPath: string, folder: string): Promise<void> {
  if (existsSync(join(folder, 'log', 'meta.properties'))) return
  const tool = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', classPath]
  const properties = join(folder, 'server.properties')
  const args = [...tool, `-Dlog4j2.configurationFile=${join(folder, 'log4j2.xml')}`]
  const command = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', properties]
  try {
    await promisify(execFile)(context.java, [...args, ...command], {
      timeout: FORMAT_TIMEOUT_MS,
      signal: context.signal
    })
  } catch (error) {
    context.signal.throwIfAborted()
    throw new Error(`Kafka's storage in ${folder} cannot be formatted`, { cause: error })
  }
}

function javaOptions(ephemeral: boolean): string[] {
  // A test broker runs for a minute and must start fast. Other brokers need steady throughput.
  return ephemeral
    ? ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
    : ['-Xms256m', '-Xmx512m', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20']
}

type NativeKafka = { brokers: string; proxyTarget: string | undefined; pid: number }

export async function startKafka(
  context: NativeContext,
  proxyListener: { advertisedPort: number } | undefined
): Promise<NativeKafka> {
  const libraries = await context.downloads.fetch('kafka-4.3.1', (detail) => {
    context.onDownload('kafka', detail)
  })
  const folder = context.folderOf('kafka')
  const client = await context.portOf('kafka')
  const ports: Ports = { client, controller: await freePort() }
  if (proxyListener !== undefined) {
    ports.proxy = { listen: await freePort(), advertised: proxyListener.advertisedPort }
  }
  writeFileSync(join(folder, 'server.properties'), propertiesOf(ports, join(folder, 'log')))
  writeFileSync(join(folder, 'log4j2.xml'), LOGGING)
  context.onStarting('kafka', `127.0.0.1:${client}`)
  const classPath = join(libraries, '*')
  await format(context, classPath, folder)
  const pid = await context.supervisor.start({
    name: 'kafka',
    title: 'Kafka',
    command: context.java,
    args: [
      ...javaOptions(context.ephemeral),
      ...context.archiveOptions('kafka-4.3.1'),
      temporaryFolderOption(folder),
      `-Dlog4j2.configurationFile=${join(folder, 'log4j2.xml')}`,
      '-cp',
      classPath,
      'kafka.Kafka',
      join(folder, 'server.properties')
    ],
    probe: async () => await kafkaAnswers('127.0.0.1', client),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopSignal: context.ephemeral ? 'SIGKILL' : 'SIGTERM',
    stopDeadlineMs: STOP_DEADLINE_MS
  })
  const proxyTarget = ports.proxy === undefined ? undefined : `127.0.0.1:${ports.proxy.listen}`
  return { brokers: `127.0.0.1:${client}`, proxyTarget, pid }
}
