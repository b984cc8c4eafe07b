/** Telephone numbers of people: international, North American, and others that are named so. */

/** Words that introduce a number. */
const names = [
  'tel|phone|telephone|mobile|cell|whatsapp|call',
  'telefon|telefonnummer|mobil|mobilnummer|handy|handynummer',
  'téléphone|portable|teléfono|móvil|celular'
].join('|')
/** Separators and digits cannot be taken for each other, so there is one way to match. */
const moreDigits = String.raw`(?:[ ./()-]{0,3}\d)`
const before = String.raw`(?<![\w.+/-])`
const after = String.raw`(?![\w-]|[.,]\d)`

/** Every quantifier is bounded. */
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
/** Numbers one calls for free belong to companies. */
const freeAreas = new Set(['800', '833', '844', '855', '866', '877', '888'])
const freeNumber = /^(?:0{0,2}\d{0,2}[1-9]800|0800)\d{4,9}$/

/** Not a number of a company's hotline, and none that is reserved for fiction. */
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
