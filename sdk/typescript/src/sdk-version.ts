/** Which SDK made a decision: its `sdk_version`, and the `X-Sluice-SDK` of every request. */
export const sdkVersion = 'typescript/0.1.0'
