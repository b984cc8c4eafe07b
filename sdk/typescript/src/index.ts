/** Sends what agents decided to a Sluice gateway. */
export const sdkVersion = 'typescript/0.1.0'
