/** Detects email addresses of people. */
import { anyOf } from '../../text/any-of.ts'

/** Matches an email address, with bounded quantifiers, but not `user@host` within a URL. */
export const emailPattern = new RegExp(
  String.raw`(?<![\p{L}\p{N}._%+/-]|://[^\s/@]{1,80})[\p{L}\p{N}][\p{L}\p{N}._%+-]{0,63}@` +
    String.raw`(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,5}` +
    String.raw`\p{L}{2,24}(?![\p{L}\p{N}_])`,
  'gu'
)

/** Domains that RFC 2606 reserves for examples, and others that documentation uses. */
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
/** Role addresses, which belong to a department instead of a person. */
const desks = [
  'abuse|accounts|admin|billing|booking|careers|contact|customer-?(?:care|service|support)|git',
  'hello|help|helpdesk|hr|info|jobs|legal|mail|marketing|news|newsletter|no-?reply|do-?not-?reply',
  'notifications?|office|orders?|postmaster|press|privacy|refunds?|returns?|sales|security|service',
  'shop|support|team|webmaster|kontakt|kundenservice|datenschutz|presse|vertrieb|contacto|ventas'
]
const desk = new RegExp(`^(?:${desks.join('|')})@`, 'i')
/** Ending of a file name such as `logo@2x.png`, which looks like an email address. */
const fileName = /\.(?:png|jpe?g|gif|svg|webp|avif|[cm]?js|tsx?|jsx|css|html|json|tgz|zip)$/i

export function isPersonalEmail(found: string): boolean {
  return !reserved.test(found) && !desk.test(found) && !fileName.test(found)
}
