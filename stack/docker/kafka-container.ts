/** Runs Apache Kafka in a container, as a single node with a listener for each kind of client. */
import { freePort } from '../ports.ts'
import { kafkaAnswers } from '../probes.ts'
import type { ContainerContext, ContainerSpec } from './container-spec.ts'
import { IMAGES } from './docker-runtime.ts'

const READY_TIMEOUT_MS = 90_000
const STOP_DEADLINE_MS = 20_000
const CLIENT_PORT = 9092
const CONTROLLER_PORT = 9093
const BROKER_PORT = 9094
const PROXY_PORT = 9095

type Ports = { client: number; proxy?: { host: number; advertised: number } }

/**
 * Returns the environment of the container. The image converts a variable KAFKA_A_B to the setting
 * a.b.
 */
export function kafkaEnvironment(ports: Ports, ephemeral: boolean): Record<string, string> {
  const listeners = [`CLIENT://:${CLIENT_PORT}`, `BROKER://localhost:${BROKER_PORT}`]
  const advertised = [`CLIENT://127.0.0.1:${ports.client}`, `BROKER://localhost:${BROKER_PORT}`]
  const kinds = ['CLIENT', 'BROKER', 'CONTROLLER']
  if (ports.proxy !== undefined) {
    listeners.push(`PROXY://:${PROXY_PORT}`)
    advertised.push(`PROXY://127.0.0.1:${ports.proxy.advertised}`)
    kinds.push('PROXY')
  }
  return {
    CLUSTER_ID: 'c2x1aWNlLWRvY2tlci1rZg',
    KAFKA_NODE_ID: '1',
    KAFKA_PROCESS_ROLES: 'broker,controller',
    KAFKA_CONTROLLER_QUORUM_VOTERS: `1@localhost:${CONTROLLER_PORT}`,
    KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
    KAFKA_LISTENERS: [...listeners, `CONTROLLER://localhost:${CONTROLLER_PORT}`].join(','),
    KAFKA_ADVERTISED_LISTENERS: advertised.join(','),
    KAFKA_INTER_BROKER_LISTENER_NAME: 'BROKER',
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: kinds.map((kind) => `${kind}:PLAINTEXT`).join(','),
    KAFKA_LOG_DIRS: '/var/lib/kafka/data',
    KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '4',
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    KAFKA_HEAP_OPTS: ephemeral ? '-Xms128m -Xmx512m' : '-Xms256m -Xmx512m'
  }
}

export async function createKafkaContainer(
  context: ContainerContext,
  proxyListener: { advertisedPort: number } | undefined
): Promise<{ spec: ContainerSpec; brokers: string; proxyTarget: string | undefined }> {
  const client = await context.portOf('kafka')
  const published = [{ container: CLIENT_PORT, host: client }]
  const ports: Ports = { client }
  let proxyTarget: string | undefined
  if (proxyListener !== undefined) {
    const host = await freePort()
    ports.proxy = { host, advertised: proxyListener.advertisedPort }
    published.push({ container: PROXY_PORT, host })
    proxyTarget = `127.0.0.1:${host}`
  }
  const spec: ContainerSpec = {
    name: 'kafka',
    title: 'Kafka',
    image: IMAGES.kafka,
    environment: kafkaEnvironment(ports, context.ephemeral),
    ports: published,
    dataFolder: '/var/lib/kafka/data',
    probe: async () => await kafkaAnswers('127.0.0.1', client),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopDeadlineMs: STOP_DEADLINE_MS
  }
  return { spec, brokers: `127.0.0.1:${client}`, proxyTarget }
}
