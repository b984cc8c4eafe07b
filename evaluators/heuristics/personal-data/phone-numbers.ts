/** Detects phone numbers of people: international, North American, and national numbers after a
 * word such as "tel".
 */

/** Words that introduce a number. */
const names = [
  'tel|phone|telephone|mobile|cell|whatsapp|call',
  'telefon|telefonnummer|mobil|mobilnummer|handy|handynummer',
  'téléphone|portable|teléfono|móvil|celular'
].join('|')
/**
 * Separators and digits are disjoint, so a text matches in only one way and backtracking is cheap.
 */
const moreDigits = String.raw`(?:[ ./()-]{0,3}\d)`
const before = String.raw`(?<![\w.+/-])`
const after = String.raw`(?![\w-]|[.,]\d)`

/** Every quantifier is bounded, so no text makes the pattern slow. */
export const phonePattern = new RegExp(
  [
    String.raw`${before}\+[1-9]${moreDigits}{7,14}${after}`,
    String.raw`${before}(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-.])[2-9]\d{2}[-.]\d{4}${after}`,
    String.raw`(?<![\p{L}\p{N}])(?:${names})(?![\p{L}\p{N}])` +
      String.raw`[^\d\n+]{0,16}\(?0\d${moreDigits}{6,13}(?!\d)`
  ].join('|'),
  'giu'
)

const digitsMin = 9
const digitsMax = 15
const northAmerica = /^1?([2-9]\d{2})([2-9]\d{2})(\d{4})$/
/** Toll-free area codes. Their numbers belong to companies. */
const freeAreas = new Set(['800', '833', '844', '855', '866', '877', '888'])
const freeNumber = /^(?:0{0,2}\d{0,2}[1-9]800|0800)\d{4,9}$/

/**
 * Checks whether a match can be a personal phone number. Excludes toll-free numbers and numbers
 * reserved for fiction.
 */
export function isPhoneNumber(found: string): boolean {
  const digits = found.replaceAll(/\D/g, '')
  if (digits.length < digitsMin || digits.length > digitsMax) return false
  const isNational = !found.includes('+')
  if (digits.startsWith('1') || (isNational && digits.length === 10 && !digits.startsWith('0'))) {
    return isNorthAmerican(digits)
  }
  return !freeNumber.test(digits)
}

function isNorthAmerican(digits: string): boolean {
  const [, area = '', exchange = '', line = ''] = northAmerica.exec(digits) ?? []
  if (area === '' || area === '555' || freeAreas.has(area)) return false
  return !(exchange === '555' && line.startsWith('01'))
}
