/** SDK version, sent in `sdk_version` of decisions and in the `X-Sluice-SDK` header. */
export const sdkVersion = 'typescript/0.1.0'
