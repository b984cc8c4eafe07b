/** Detects payment card numbers and IBANs by their assigned prefixes and lengths. */
import { isLuhn, isMod97 } from './check-digits.ts'
import { anyOf } from '../../text/any-of.ts'

/** Card number in one block or in the groups printed on cards, but not within a longer number. */
export const cardPattern = new RegExp(
  String.raw`(?<![\w+-]|\d[.,])` +
    anyOf(
      String.raw`\d{14,19}`,
      String.raw`\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?`,
      String.raw`\d{4}([ -])\d{6}\2\d{4,5}`
    ) +
    String.raw`(?![\w-]|[.,]\d)`,
  'g'
)
/**
 * IBAN. The match can include a following word in capital letters. Bounded quantifiers keep the
 * pattern fast.
 */
export const accountPattern =
  /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![a-z])/g

/**
 * Numbers of Visa, Mastercard (two ranges), American Express, Diners, Discover, JCB and UnionPay.
 */
const issuers = [
  String.raw`4\d{15}`,
  String.raw`5[1-5]\d{14}`,
  String.raw`2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}`,
  String.raw`3[47]\d{13}`,
  String.raw`3(?:0[0-5]|[68]\d)\d{11}`,
  String.raw`(?:6011|65\d\d|64[4-9]\d)\d{12}`,
  String.raw`35(?:2[89]|[3-8]\d)\d{12}`,
  String.raw`62\d{14,17}`
]
const issued = new RegExp(`^(?:${issuers.join('|')})$`)

export function isPaymentCard(found: string): boolean {
  const digits = found.replaceAll(/\D/g, '')
  return issued.test(digits) && isLuhn(digits)
}

/** Length of an IBAN by country, from the SWIFT registry. */
const ibanLengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 ' +
    'DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 ' +
    'IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 ' +
    'MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 ' +
    'SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))])
)

/**
 * Verifies the check digits of a match. Uses the IBAN length of the country, because the match can
 * include following words in capital letters.
 */
export function isIban(found: string): boolean {
  const text = found.replaceAll(/[ -]/g, '')
  const length = ibanLengths.get(text.slice(0, 2))
  return length !== undefined && text.length >= length && isMod97(text.slice(0, length))
}
