/** Verifies check digits, which distinguish card and account numbers from other long numbers. */

/**
 * Verifies the check digit of ISO/IEC 7812: every second digit from the right is doubled, minus 9
 * if the result is above 9, and the sum ends in 0.
 */
export function isLuhn(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48
    const weighted = place % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}

/**
 * Verifies the check digits of ISO 13616: the country and check digits are moved to the end,
 * letters become 10 to 35, and the number modulo 97 is 1.
 */
export function isMod97(account: string): boolean {
  let rest = 0
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
