/** Defines the detectors of personal data and secrets by kind. */
import { accountPattern, cardPattern, isIban, isPaymentCard } from './account-numbers.ts'
import { emailPattern, isPersonalEmail } from './email-addresses.ts'
import { isPhoneNumber, phonePattern } from './phone-numbers.ts'
import { isSecret, secretPattern } from './secrets.ts'

export const personalDataNames = ['email', 'phone', 'card', 'iban', 'secret'] as const

export interface Detector {
  /** Name in configurations. */
  readonly name: (typeof personalDataNames)[number]
  /** Name in reasons. */
  readonly kind: string
  readonly plural: string
  /** Fast pre-check: matches every text in which `pattern` can find data. */
  readonly hint: RegExp
  readonly pattern: RegExp
  readonly isReal: (found: string) => boolean
  /** Returns the part of a match that does not depend on formatting. */
  readonly essenceOf: (found: string) => string
}

const essenceCharacters = 64
/**
 * Number of trailing digits that are compared. They usually exclude the country code of a phone
 * number.
 */
const essenceDigits = 8
/** Seven digits close together. Every phone and card number contains them. */
const digits = /\d(?:[ ./()-]{0,3}\d){6}/

export const detectors: readonly Detector[] = [
  {
    name: 'email',
    kind: 'email address',
    plural: 'email addresses',
    hint: /@/,
    pattern: emailPattern,
    isReal: isPersonalEmail,
    essenceOf: endOf
  },
  {
    name: 'phone',
    kind: 'phone number',
    plural: 'phone numbers',
    hint: digits,
    pattern: phonePattern,
    isReal: isPhoneNumber,
    essenceOf: (found) => found.replaceAll(/\D/g, '').slice(-essenceDigits)
  },
  {
    name: 'card',
    kind: 'payment card number',
    plural: 'payment card numbers',
    hint: digits,
    pattern: cardPattern,
    isReal: isPaymentCard,
    essenceOf: endOf
  },
  {
    name: 'iban',
    kind: 'IBAN',
    plural: 'IBANs',
    hint: /[A-Z]{2}\d{2}/,
    pattern: accountPattern,
    isReal: isIban,
    essenceOf: endOf
  },
  {
    name: 'secret',
    kind: 'secret',
    plural: 'secrets',
    hint: /[_-]\w|\.[A-Za-z]|:\/\/|A[KSI]/,
    pattern: secretPattern,
    isReal: isSecret,
    essenceOf: endOf
  }
]

/**
 * Removes formatting, so that differently formatted copies of a number or address compare equal.
 */
export function squeezed(text: string): string {
  // Also removes JSON escapes such as `\n`, because the text can contain JSON.
  return text.replaceAll(/\\[nrt"\\/]|[\s().+/-]/g, '').toLowerCase()
}

function endOf(found: string): string {
  return squeezed(found).slice(-essenceCharacters)
}
