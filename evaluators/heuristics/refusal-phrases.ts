/** Defines phrases that decline a request, by language. An answer that denies something, such as a
 * refund, is not a refusal.
 */
import { anyOf } from '../text/any-of.ts'

interface RefusalPhrase {
  readonly language: string
  /** Matches lowercase text with plain apostrophes and single spaces. */
  readonly pattern: RegExp
}

/** Fast pre-check: a text without any of these words contains no refusal. */
export const refusalCue = new RegExp(
  anyOf(
    "can['’‘ʼ´]t|cannot|can not|unable|not able|not (?:allowed|permitted|going|in a position)",
    "won['’‘ʼ´]t|will not|decline|comfortable|as an ai|my (?:guid|progr)|request (?:v|g)",
    'nicht|keine|\\bpas\\b|\\bno (?:p|me|e)|como |\\bnon (?:p|s|m)|não |niet|无法|不能|没办法|ません|かね'
  )
)

const cannot = anyOf(
  "i (?:really |simply |just |also )?(?:can't|cannot|can not|won't|will not)",
  'i (?:must|have to) (?:respectfully |politely )?decline to',
  "i(?:'m| am) (?:not able|unable|not allowed|not permitted|not going|not in a position) to"
)
const adviceOfAnyKind = '(?:(?:medical|legal|financial|investment|tax) )?advice'
/** Verbs with objects that make a phrase a refusal. "I cannot provide a refund" is an answer. */
const declined = anyOf(
  '(?:assist|comply|fulfil|engage in|participate in)',
  'help(?! but\\b)',
  'do (?:that|this)\\b(?! (?:without|until|before|yet))',
  '(?:accommodate|answer|respond to|continue with) (?:that|this|your)\\b',
  'support (?:that|this|such) request',
  'discuss (?:that|this|such|politic|my )',
  'share (?:(?:that|this|such) (?:information|content)|my (?:system|instructions|prompt))',
  '(?:provide|offer|give)(?: you(?: with)?)? ' +
    anyOf(
      '(?:that|this) (?:information|content|kind)',
      'any (?:information|advice|guidance|help|assistance)',
      `such|information|instructions|guidance|${adviceOfAnyKind}|assistance|help`
    ),
  '(?:create|generate|write|produce) (?:that|this kind|such|content|explicit|harmful|sexual)'
)
const comfortablyDone =
  '(?:help|assist|provid|writ|creat|answer|discuss|engag|generat|with th(?:at|is))'

const english = [
  `\\b${cannot} ${declined}`,
  "\\bsorry,? (?:but )?i (?:can't|cannot|won't)(?: do (?:that|this))?(?:[.!,]|$)",
  "\\bsorry,? (?:but )?(?:can't|cannot|unable to) (?:help|assist|comply|do that)",
  `\\bi(?:'m not| am not| don't feel| do not feel) comfortable ${comfortablyDone}`,
  "\\bas an ai(?: language)?(?: model| assistant)?,? i (?:can't|cannot|won't|don't|do not)\\b",
  "\\bas an ai(?: language)?(?: model| assistant)?,? i(?:'m| am) (?:not|unable)\\b",
  '\\bi (?:must|have to|will have to) (?:\\w{4,15}ly )?decline (?:this|that|your) request',
  '\\b(?:this|that|your) request (?:violates|goes against)\\b',
  '\\b(?:against|violates?) my (?:guidelines|programming)\\b'
]
const german = [
  '\\b(?:ich (?:kann|darf|werde)|(?:kann|darf|werde) ich)\\b[^.!?]{0,60}\\bnicht ' +
    '(?:dabei |damit |weiter)?(?:helfen|behilflich|nachkommen|beantworten|bereitstellen)',
  '\\bals (?:ein )?ki(?:-[a-zäöüß]{3,20})?,? (?:kann|darf|habe|bin) ich\\b[^.!?]{0,60}' +
    '\\b(?:nicht|keine[nr]?)\\b'
]
const french = [
  '\\bje ne (?:peux|puis|suis)(?: malheureusement| hélas)? pas ' +
    "(?:(?:en mesure|capable) d(?:e |')|autorisée? à )?(?:vous |t'|te |y |l')?" +
    anyOf(
      'aider|assister|satisfaire|donner suite',
      '(?:répondre|accéder) à (?:cette|votre|ta|ce)',
      "fournir (?:cette|ces|ce|d'|de )",
      'faire (?:ça|cela)'
    ),
  "\\ben tant qu(?:e modèle|e assistant|'ia\\b|'intelligence)[^.!?]{0,40}" +
    '\\bje ne [^.!?]{1,30} pas\\b'
]
const spanish = [
  '\\bno (?:puedo|podemos|me es posible|estoy en condiciones de)(?:,? lamentablemente,?)? ' +
    anyOf(
      'ayudar|asistir|hacer eso',
      '(?:proporcionar|brindar|ofrecer|dar)(?:te|le)? (?:esa |ese |esta |este )?' +
        '(?:información|instrucciones|asistencia|contenido|tipo)',
      '(?:responder a|cumplir con|atender) (?:esa|esta|tu|su)\\b'
    ),
  '\\bcomo (?:modelo de lenguaje|ia\\b|inteligencia artificial|asistente)[^.!?]{0,40}' +
    '\\bno (?:puedo|tengo)\\b'
]
const italian = [
  '\\bnon (?:posso|sono in grado di|mi è possibile) ' +
    anyOf(
      'aiutar|assister|fare (?:questo|ciò)',
      'fornir(?:e|ti|le|vi) (?:queste|questa|questo|informazioni|istruzioni)',
      'rispondere a (?:questa|questo|tale)|soddisfare (?:questa|la)'
    )
]
const portuguese = [
  '\\bnão (?:posso|consigo|sou capaz de) (?:te |o |a |lhe )?' +
    anyOf(
      'ajudar|ajudá-l|fazer isso',
      'fornecer (?:essas?|esses?|esta|este|informações|instruções)',
      '(?:responder a|atender(?: a)?) (?:essa|esta|seu|sua)\\b'
    )
]
const dutch = [
  '\\b(?:ik kan|kan ik)\\b[^.!?]{0,50}\\bniet (?:mee |bij |verder ?)?' +
    '(?:helpen|beantwoorden|verstrekken|voldoen)'
]
const chinese = [
  '(?:抱歉|对不起|很遗憾|我)[^。!?]{0,12}(?:无法|不能|没办法)(?:[为向帮][您你]|对此)?' +
    '(?:提供(?:帮助|协助|该|这|此|相关)|协助|帮助|满足|回答|完成[您你这该此]的?(?:请求|要求))'
]
const japanese = [
  '(?:申し訳|恐れ入り|すみません|残念)[^。]{0,40}(?:お手伝い|お答え|お応え|回答|ご要望|ご依頼)' +
    '[^。]{0,16}(?:できません|できかねます|いたしかねます|致しかねます)'
]

export const refusalPhrases: readonly RefusalPhrase[] = [
  { language: 'English', pattern: new RegExp(anyOf(...english)) },
  { language: 'German', pattern: new RegExp(anyOf(...german)) },
  { language: 'French', pattern: new RegExp(anyOf(...french)) },
  { language: 'Spanish', pattern: new RegExp(anyOf(...spanish)) },
  { language: 'Italian', pattern: new RegExp(anyOf(...italian)) },
  { language: 'Portuguese', pattern: new RegExp(anyOf(...portuguese)) },
  { language: 'Dutch', pattern: new RegExp(anyOf(...dutch)) },
  { language: 'Chinese', pattern: new RegExp(anyOf(...chinese)) },
  { language: 'Japanese', pattern: new RegExp(anyOf(...japanese)) }
]
