/** Account rules: validates email addresses and passwords for all code that creates accounts. */

/** Maximum length of an email address in characters. SMTP allows no longer addresses (RFC 5321). */
export const emailCharsMax = 254
const passwordCharsMin = 8
/** Maximum length of a password in code points, to bound the cost of hashing. */
const passwordCharsMax = 200

const localPart = String.raw`[^\s@<>()[\]\\,;:"\p{C}]{1,64}`
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\-]{0,61}[\p{L}\p{N}])?`
const emailExpression = new RegExp(
  String.raw`^${localPart}@(?:localhost|(?:${label}\.)+${label})$`,
  'u'
)

/**
 * Passwords that attackers try first. NIST SP 800-63B says to reject these instead of requiring
 * symbols.
 */
const commonPasswords = new Set(
  (
    '00000000 11111111 12121212 12341234 12345678 123456789 1234567890 123123123 1q2w3e4r ' +
    '1q2w3e4r5t 1qaz2wsx 87654321 987654321 aaaaaaaa abc12345 abcd1234 admin123 admin1234 ' +
    'administrator asdfasdf asdfghjkl baseball changeme computer dragon123 football iloveyou ' +
    'letmein123 master123 monkey123 p@ssw0rd passw0rd password password! password1 password12 ' +
    'password123 princess q1w2e3r4 qwer1234 qwerty12 qwerty123 qwertyui qwertyuiop starwars ' +
    'sunshine superman trustno1 welcome1 welcome123 whatever'
  ).split(' ')
)

/**
 * Trims and lowercases an email address, so that its account is found regardless of capital letters
 * and surrounding spaces.
 */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase()
}

/**
 * Returns what is wrong with the email, as a predicate ("must be …"), or null if it is valid.
 * @param email the normalized address
 */
export function emailObjection(email: string): string | null {
  if (email.length > emailCharsMax) return `must have at most ${emailCharsMax} characters`
  return emailExpression.test(email) ? null : 'must be an email address such as ada@example.com'
}

/**
 * Returns what is wrong with the password, as a predicate ("must have …"), or null if it is
 * acceptable.
 * @param email the normalized address
 */
export function passwordObjection(password: string, email: string): string | null {
  const { length } = [...password]
  if (length < passwordCharsMin) return `must have at least ${passwordCharsMin} characters`
  if (length > passwordCharsMax) return `must have at most ${passwordCharsMax} characters`
  if (!password.isWellFormed()) return 'must be valid Unicode'
  const plain = password.trim().toLowerCase()
  if (plain === email) return 'must not be the email'
  return commonPasswords.has(plain) ? 'must not be a common password' : null
}
