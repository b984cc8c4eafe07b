/** How to reach Kafka, encrypted and logged in or not: read once for every client. */
import type { Config } from '../config/config.ts'

type Names =
  | 'KAFKA_BROKERS'
  | 'KAFKA_TLS'
  | 'KAFKA_TLS_CA'
  | 'KAFKA_TLS_CERT'
  | 'KAFKA_TLS_KEY'
  | 'KAFKA_SASL_MECHANISM'
  | 'KAFKA_SASL_USERNAME'
  | 'KAFKA_SASL_PASSWORD'

export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512'

export interface KafkaSecurity {
  /** Null for a connection in the clear. Brokers are always verified. */
  readonly tls: {
    /** Instead of the authorities that Node knows. */
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
  } | null
  readonly sasl: {
    readonly mechanism: SaslMechanism
    readonly username: string
    readonly password: string
  } | null
}

/** The settings that every process needs which talks to Kafka. */
export const kafkaSettingNames = [
  'KAFKA_BROKERS',
  'KAFKA_TLS',
  'KAFKA_TLS_CA',
  'KAFKA_TLS_CERT',
  'KAFKA_TLS_KEY',
  'KAFKA_SASL_MECHANISM',
  'KAFKA_SASL_USERNAME',
  'KAFKA_SASL_PASSWORD'
] as const satisfies readonly Names[]

/** The configuration was checked: what belongs together is there together. */
export function kafkaSecurityOf(config: Omit<Config<Names>, 'KAFKA_BROKERS'>): KafkaSecurity {
  const { KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = config
  const mechanism = config.KAFKA_SASL_MECHANISM
  const credentials = {
    username: config.KAFKA_SASL_USERNAME ?? '',
    password: config.KAFKA_SASL_PASSWORD ?? ''
  }
  const mutual = cert === null || key === null ? {} : { cert, key }
  return {
    tls: config.KAFKA_TLS ? { ...(ca === null ? {} : { ca }), ...mutual } : null,
    sasl: mechanism === 'none' ? null : { mechanism, ...credentials }
  }
}
