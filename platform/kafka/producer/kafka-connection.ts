/** How @platformatic/kafka connects, for the producer and for the probe beside it. */
import { isIP } from 'node:net'
import type { KafkaSecurity, SaslMechanism } from '../kafka-security.ts'

export interface KafkaConnectionOptions {
  readonly brokers: readonly string[]
  readonly clientId: string
  /** Left out: in the clear, without a login. */
  readonly security?: KafkaSecurity
}

const mechanisms = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512'
} as const satisfies Record<SaslMechanism, string>

/** The part of the client's options that says where to and how. */
export function connectionOf({ brokers, clientId, security }: KafkaConnectionOptions) {
  const { tls = null, sasl = null } = security ?? {}
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    // Behind a shared address a broker goes by its name; an address is no name.
    ...(tls === null ? {} : { tls: { ...tls }, tlsServerName: !brokers.every(isAddress) }),
    ...(sasl === null ? {} : { sasl: { ...sasl, mechanism: mechanisms[sasl.mechanism] } })
  }
}

function isAddress(broker: string): boolean {
  const host = broker.slice(0, broker.lastIndexOf(':')).replace(/^\[|\]$/g, '')
  return isIP(host) !== 0
}
