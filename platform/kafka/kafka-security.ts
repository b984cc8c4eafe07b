/** Kafka security: derives the TLS and SASL options of all Kafka clients from the settings. */
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
  /** Null disables encryption. With TLS, the certificates of brokers are always verified. */
  readonly tls: {
    /** CA certificates (PEM) that replace those of Node.js. */
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

/** Settings that every process with a Kafka connection needs. */
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

/**
 * Converts the settings. The configuration is validated, so interdependent settings are present
 * together.
 */
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
