/** Detects secrets: keys and tokens with a recognizable format, and passwords in URLs. */

/** Every quantifier is bounded, so no text makes the pattern slow. */
export const secretPattern = new RegExp(
  [
    String.raw`\bsk-[A-Za-z0-9_-]{20,200}`,
    String.raw`\b(?:sk|rk)_live_[A-Za-z0-9]{16,100}`,
    String.raw`\bslk_[a-z0-9]{1,16}_[A-Za-z0-9]{12}_[A-Za-z0-9]{38}\b`,
    String.raw`\b(?:gh[pousr]_[A-Za-z0-9]{36,80}|github_pat_[A-Za-z0-9_]{40,100})`,
    String.raw`\bglpat-[A-Za-z0-9_-]{20,60}`,
    String.raw`\bA(?:KIA|SIA)[0-9A-Z]{16}\b`,
    String.raw`\bxox[abprs]-[A-Za-z0-9-]{10,80}`,
    String.raw`\bAIza[A-Za-z0-9_-]{35}`,
    String.raw`\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`,
    String.raw`\b(?:npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,40})\b`,
    String.raw`\beyJ[A-Za-z0-9_-]{10,400}\.eyJ[A-Za-z0-9_-]{10,1000}\.[A-Za-z0-9_-]{10,500}`,
    String.raw`-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:\\n|\s){1,4}[A-Za-z0-9+/=]{16,64}`,
    String.raw`\b[a-z][a-z0-9+]{1,15}://[^\s/:@"'<>]{1,64}:[^\s/@"'<>]{3,128}@[\w.-]{1,100}`
  ].join('|'),
  'g'
)

const invented = /example|placeholder|dummy|your|xxxx|\*{3}|\.{3}|1234567|abcdefg/i
/** Placeholders that documentation uses for a password. */
const inventedPassword =
  /:(?:\w{0,20}(?:pass|secret)\w{0,20}|pwd|changeme|test|[$%{[<][^@]{0,60})@/i
const distinctCharactersMin = 10

/** Excludes keys from documentation, and names that only begin like a key. */
export function isSecret(found: string): boolean {
  if (found.includes('://')) return !inventedPassword.test(found)
  if (invented.test(found) || new Set(found).size < distinctCharactersMin) return false
  if (!found.startsWith('sk-')) return true
  const isMixed = /\d/.test(found) && /[A-Z]/.test(found) && /[a-z]/.test(found)
  return isMixed || /^sk-[0-9a-f]{32}/.test(found)
}
