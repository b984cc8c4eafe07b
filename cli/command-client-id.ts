/** How a command calls itself to Kafka. */

export const commandClientId = 'sluice-cli'
