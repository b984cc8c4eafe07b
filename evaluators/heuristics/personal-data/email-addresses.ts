/** E-mail addresses of people. */
import { anyOf } from '../../text/any-of.ts'

/** Every quantifier is bounded; `user@host` within a web address is none. */
export const emailPattern = new RegExp(
  String.raw`(?<![\p{L}\p{N}._%+/-]|://[^\s/@]{1,80})[\p{L}\p{N}][\p{L}\p{N}._%+-]{0,63}@` +
    String.raw`(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,5}` +
    String.raw`\p{L}{2,24}(?![\p{L}\p{N}_])`,
  'gu'
)

/** RFC 2606 keeps these for examples, and documentation writes the others. */
const reserved = new RegExp(
  String.raw`[@.]` +
    anyOf(
      String.raw`example(?:\.[a-z]{2,3}){1,2}`,
      String.raw`(?:yourdomain|domain|yourcompany)\.com`,
      String.raw`[^@.]{1,63}\.(?:example|test|invalid|localhost|local)`
    ) +
    '$',
  'i'
)
/** A desk, not a person. */
const desks = [
  'abuse|accounts|admin|billing|booking|careers|contact|customer-?(?:care|service|support)|git',
  'hello|help|helpdesk|hr|info|jobs|legal|mail|marketing|news|newsletter|no-?reply|do-?not-?reply',
  'notifications?|office|orders?|postmaster|press|privacy|refunds?|returns?|sales|security|service',
  'shop|support|team|webmaster|kontakt|kundenservice|datenschutz|presse|vertrieb|contacto|ventas'
]
const desk = new RegExp(`^(?:${desks.join('|')})@`, 'i')
/** A file name such as `logo@2x.png` has the form of an address. */
const fileName = /\.(?:png|jpe?g|gif|svg|webp|avif|[cm]?js|tsx?|jsx|css|html|json|tgz|zip)$/i

export function isPersonalEmail(found: string): boolean {
  return !reserved.test(found) && !desk.test(found) && !fileName.test(found)
}
