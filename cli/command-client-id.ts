/** Defines the Kafka client ID that all `sluice` commands use. */

export const commandClientId = 'sluice-cli'
