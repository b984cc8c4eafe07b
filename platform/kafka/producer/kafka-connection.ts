/** Kafka connection options: converts them to the options of @platformatic/kafka. */
import { isIP } from 'node:net'
import type { KafkaSecurity, SaslMechanism } from '../kafka-security.ts'

export interface KafkaConnectionOptions {
  readonly brokers: readonly string[]
  readonly clientId: string
  /** Default: no encryption and no authentication. */
  readonly security?: KafkaSecurity
}

const mechanisms = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512'
} as const satisfies Record<SaslMechanism, string>

/** Returns the client id, brokers, TLS and SASL as options of @platformatic/kafka. */
export function connectionOf({ brokers, clientId, security }: KafkaConnectionOptions) {
  const { tls = null, sasl = null } = security ?? {}
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    // Sends the host name (SNI), because brokers that share an address select their certificate by
    // name. An IP address is not valid in SNI.
    ...(tls === null ? {} : { tls: { ...tls }, tlsServerName: !brokers.every(isAddress) }),
    ...(sasl === null ? {} : { sasl: { ...sasl, mechanism: mechanisms[sasl.mechanism] } })
  }
}

function isAddress(broker: string): boolean {
  const host = broker.slice(0, broker.lastIndexOf(':')).replace(/^\[|\]$/g, '')
  return isIP(host) !== 0
}
