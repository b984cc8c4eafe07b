/** Tests the `language` check: it compares the language of the output with the language of the
 * request or the expected languages, but only if the detection is certain.
 */
import { expect, test } from '@jest/globals'
import { languageOf } from '../../../../evaluators/text/languages.ts'
import { wordsOf } from '../../../../evaluators/text/words.ts'
import { aVersion, found } from '../a-version.ts'

const texts = {
  de:
    'Ihre Bestellung ist auf dem Weg und sollte morgen bei Ihnen sein. Wenn sie nicht ' +
    'ankommt, melden Sie sich bitte bei uns, wir helfen Ihnen mit der Lieferung weiter.',
  en:
    'Your order is on the way and should be with you by tomorrow. If it does not arrive, ' +
    'please write to us and we will help you with the delivery, so that you have it in ' +
    'time.',
  es:
    'Su pedido está en camino y llegará mañana. Si no llega, escríbanos por favor y le ' +
    'ayudaremos con el envío, para que lo tenga a tiempo como usted lo quería en la ' +
    'tienda.',
  fr:
    'Votre commande est en route et sera chez vous demain. Si elle n’arrive pas, ' +
    'écrivez-nous et nous vous aiderons avec la livraison, pour que vous l’ayez dans les ' +
    'temps.',
  it:
    'Il suo ordine è in viaggio e arriverà domani. Se non arriva, ci scriva per favore e ' +
    'la aiuteremo con la consegna, perché sia da lei in tempo, come più le piace, con gli ' +
    'altri della spedizione.',
  nl:
    'Uw bestelling is onderweg en zou morgen bij u moeten zijn. Als het niet aankomt, ' +
    'schrijf ons dan en wij helpen u met de levering, zodat u het op tijd kunt hebben.',
  pt:
    'O seu pedido está a caminho e chega amanhã. Se não chegar, escreva-nos por favor e ' +
    'ajudamos com a entrega, para que o tenha a tempo, como você o queria da loja.',
  ru: 'Ваш заказ уже в пути и будет у вас завтра. Если он не придёт, напишите нам.',
  ja: 'ご注文の品は明日お届けの予定です。届かない場合はご連絡ください。',
  zh: '您的订单已经发出,预计明天送达。如果没有收到,请联系我们的客服。',
  ko: '주문하신 상품은 내일 도착할 예정입니다. 도착하지 않으면 연락해 주세요.',
  ar: 'طلبك في الطريق وسيصل غدا. إذا لم يصل يرجى الاتصال بنا وسنساعدك.',
  el: 'Η παραγγελία σας είναι καθ’ οδόν και θα φτάσει αύριο το πρωί.'
} as const
type Code = keyof typeof texts
const codes = Object.keys(texts) as Code[]

function input(text: string): string {
  return JSON.stringify({
    messages: [
      { role: 'system', content: 'Be kind to the customer.' },
      { role: 'user', content: text }
    ]
  })
}

test.each(codes)('detects %s and no other language', (code) => {
  const output = texts[code]
  const own = aVersion('heuristic', { check: 'language', expected: [code] })
  expect(found(own, { output })).toMatchObject({ passed: true })
  for (const other of codes.filter((each) => each !== code)) {
    const version = aVersion('heuristic', { check: 'language', expected: [other] })
    expect([other, found(version, { output })]).toEqual([
      other,
      expect.objectContaining({ passed: false })
    ])
  }
})

test.each<[Code, Code, boolean]>([
  ['de', 'de', true],
  ['de', 'en', false],
  ['ja', 'en', false],
  ['ru', 'ru', true],
  ['zh', 'ja', false]
])('compares a request in %s with an answer in %s', (asked, answered, passed) => {
  const version = aVersion('heuristic', { check: 'language' })
  const decision = { input: input(texts[asked]), output: texts[answered] }
  expect(found(version, decision)).toMatchObject({ passed })
})

test.each<[string, object]>([
  ['a short answer', { input: input(texts.de), output: 'OK.' }],
  ['a short request', { input: input('?'), output: texts.de }],
  [
    'code',
    {
      input: input(texts.de),
      output:
        'for (let i = 0; i < items.length; i++) { total += items[i].price * rate } return total'
    }
  ],
  [
    'figures',
    { input: input(texts.de), output: '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20' }
  ],
  ['two languages in one', { input: input(texts.en), output: `${texts.de} ${texts.en}` }],
  ['a request for a translation', { input: input(`Translate: ${texts.en}`), output: texts.de }],
  [
    'a request for another language',
    { input: input(`${texts.en} Answer in German.`), output: texts.de }
  ]
])('skips %s', (_, decision) => {
  const version = aVersion('heuristic', { check: 'language' })
  expect(found(version, decision)).toEqual({ kind: 'skipped', status_reason: 'not_applicable' })
})

test('accepts any of several expected languages', () => {
  const version = aVersion('heuristic', { check: 'language', expected: ['de', 'fr'] })
  expect(found(version, { output: texts.fr })).toMatchObject({ reason: 'The output is in French.' })
  expect(found(version, { output: texts.en })).toMatchObject({
    passed: false,
    reason: 'The output is in English, not in de, fr.'
  })
})

test('does not distinguish Russian and Ukrainian', () => {
  const text = texts.ru.toLowerCase()
  expect(languageOf(text, wordsOf(text))).toEqual({ script: 'Cyrillic', language: null })
})
