/** Provides a fixed corpus for tests of words and phrases, with text in several languages and
 * formats.
 */
import { createRandom } from '../../../faults/random.ts'

const texts = [
  'Your order 48213 left our warehouse in Hamburg on Monday evening. The carrier has announced ' +
    'the delivery for Thursday, between 9 and 12 o’clock. If you are not at home, a neighbour ' +
    'can accept the parcel, or you can choose a pick-up point. We refund the shipping costs if ' +
    'it arrives later than we promised: please send us a short message within 30 days.',
  'Die Rechnung vom 3. März enthält zwei Beträge, die sich um 39,90 € unterscheiden. Wir haben ' +
    'den höheren Betrag storniert und überweisen Ihnen die Differenz bis Ende der Woche. Bitte ' +
    'prüfen Sie Ihr Konto und melden Sie sich, wenn die Gutschrift fehlt – größere Änderungen ' +
    'bestätigen wir immer schriftlich.',
  'Votre demande a été reçue : l’équipe vérifie d’abord le contrat, puis l’adresse. Ça peut ' +
    'prendre deux jours, car plusieurs services doivent répondre. Vous n’avez rien à faire ; ' +
    'dès que c’est terminé, nous vous écrirons (même s’il n’y a pas de problème).',
  '| check | version | result | value | |-------|---------|--------|-------| | `length` | 3 | ' +
    'passed | 0.75 | | `regex` | 12 | **failed** | 0 | | `json_schema` | 1 | skipped | – | ' +
    '[details](../results.md#checks) ## Next steps - [ ] compare the versions - [x] raise the ' +
    'limit ```sh npm test -- --watch ```',
  'export function parse(text: string): Result | null { const at = text.indexOf("{"); if (at ' +
    '< 0) return null; for (let index = at; index < text.length; index++) total += rates[index] ' +
    '* 0.5; return { value: JSON.parse(text.slice(at)) as Value, isCut: total > 1e3 } }',
  '{"messages": [{"role": "user", "content": "Where is it?"}, {"role": "system", "id": 17.25}], ' +
    '"metadata": {"tier": "gold", "tags": ["a", "b", null], "vip": true}, "max_tokens": 1024, ' +
    '"path": "C:\\\\temp\\\\new.txt"}',
  'Заказ отправлен вчера вечером и прибудет в пятницу. Если адрес изменился, сообщите нам об ' +
    'этом сегодня, и мы исправим накладную. Спасибо за терпение!',
  '您的订单已经发出，预计星期四送到。如果没有人在家，可以请邻居代收。谢谢您的耐心等待！',
  'ご注文の商品は昨日発送しました。木曜日にお届けする予定です。',
  'สินค้าของคุณถูกส่งเมื่อวานนี้และจะถึงในวันพฤหัสบดี',
  '👍 Done! 🎉🎉 İstanbul’da 3 koli 📦 bekliyor – ǅ ﬁ ½ naïve Ω≈ç'
]

const charactersMin = 500_000

/**
 * Creates paragraphs of random words with a fixed seed. Each paragraph uses the words of one text.
 */
function makeCorpus(): string {
  const random = createRandom(20_261_123)
  const paragraphs = [...texts]
  for (let characters = 0; characters < charactersMin;) {
    const text = texts[random.below(texts.length)] ?? ''
    const separator = text.includes(' ') ? ' ' : ''
    const words = text.split(separator)
    const count = 5 + random.below(200)
    const paragraph = Array.from({ length: count }, () => words[random.below(words.length)])
    paragraphs.push(paragraph.join(separator))
    characters += paragraph.join(separator).length
  }
  return paragraphs.join('\n\n')
}

export const corpus = makeCorpus()
