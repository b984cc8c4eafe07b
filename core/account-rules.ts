/** What an email and a password must be like, wherever an account is made. */

/** Longer ones cannot be sent to. */
export const emailCharsMax = 254
export const passwordCharsMin = 8
/** Hashing has a price by the byte, and nobody remembers more. */
export const passwordCharsMax = 200

const localPart = String.raw`[^\s@<>()[\]\\,;:"\p{C}]{1,64}`
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\-]{0,61}[\p{L}\p{N}])?`
const emailExpression = new RegExp(
  String.raw`^${localPart}@(?:localhost|(?:${label}\.)+${label})$`,
  'u'
)

/** Who guesses tries these first; NIST 800-63B asks to refuse them, and not to ask for symbols. */
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

/** One person is one account, however they type their address. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase()
}

/** @param email normalized. @returns what is wrong with it, as a predicate, or null. */
export function emailObjection(email: string): string | null {
  if (email.length > emailCharsMax) return `must have at most ${emailCharsMax} characters`
  return emailExpression.test(email) ? null : 'must be an email address such as ada@example.com'
}

/** @param email normalized. @returns what is wrong with the password, as a predicate, or null. */
export function passwordObjection(password: string, email: string): string | null {
  const { length } = [...password]
  if (length < passwordCharsMin) return `must have at least ${passwordCharsMin} characters`
  if (length > passwordCharsMax) return `must have at most ${passwordCharsMax} characters`
  if (!password.isWellFormed()) return 'must be valid Unicode'
  const plain = password.trim().toLowerCase()
  if (plain === email) return 'must not be the email'
  return commonPasswords.has(plain) ? 'is among the first that everybody tries' : null
}
