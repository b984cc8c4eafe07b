/** Makes invisible characters of untrusted text visible in a single line. */
import { nameUnseen } from '../json/named-characters.ts'

/** Writes each invisible character as its name in brackets, and line breaks as a space. */
export function visible(text: string): string {
  const parts = nameUnseen(text.replaceAll(/[\t\n\r]+/g, ' '))
  return parts.map((part) => (part.name === null ? part.text : `⟨${part.name}⟩`)).join('')
}
