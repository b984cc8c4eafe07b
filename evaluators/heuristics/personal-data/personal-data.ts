/** Personal data and secrets by kind: how each is found, and what identifies it. */
import { accountPattern, cardPattern, isIban, isPaymentCard } from './account-numbers.ts'
import { emailPattern, isPersonalEmail } from './email-addresses.ts'
import { isPhoneNumber, phonePattern } from './phone-numbers.ts'
import { isSecret, secretPattern } from './secrets.ts'

export const personalDataNames = ['email', 'phone', 'card', 'iban', 'secret'] as const

export interface Detector {
  /** As a configuration calls it. */
  readonly name: (typeof personalDataNames)[number]
  /** As a sentence calls it. */
  readonly kind: string
  readonly plural: string
  /** Text without this holds nothing of the kind; it is cheaper to find than the pattern. */
  readonly hint: RegExp
  readonly pattern: RegExp
  readonly isReal: (found: string) => boolean
  /** The part that stays the same however it is written. */
  readonly essenceOf: (found: string) => string
}

const essenceCharacters = 64
/** A telephone number is the same with and without the prefix of its country. */
const essenceDigits = 8
/** Seven digits that stand close together. */
const digits = /\d(?:[ ./()-]{0,3}\d){6}/

export const detectors: readonly Detector[] = [
  {
    name: 'email',
    kind: 'e-mail address',
    plural: 'e-mail addresses',
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

/** Text in which the same number or address looks the same, whoever wrote it. */
export function squeezed(text: string): string {
  // A line break within JSON text is a backslash and a letter.
  return text.replaceAll(/\\[nrt"\\/]|[\s().+/-]/g, '').toLowerCase()
}

function endOf(found: string): string {
  return squeezed(found).slice(-essenceCharacters)
}
