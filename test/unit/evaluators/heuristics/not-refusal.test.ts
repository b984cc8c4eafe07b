/** Tests not_refusal: outputs in nine languages that decline the request fail; an answer that
 * contains "cannot" passes.
 */
import { expect, test } from '@jest/globals'
import { notRefusal } from '../../../../evaluators/heuristics/not-refusal.ts'
import { aSubject } from '../a-subject.ts'

const refusals: [string, string][] = [
  ['English', "I'm sorry, but I can't help with that."],
  ['English', 'I’m sorry, but I can’t assist with that request.'],
  ['English', 'Sorry, I cannot comply with this.'],
  ['English', 'I apologize, but I am unable to provide information about other customers.'],
  ['English', "I'm not able to provide medical advice. Please see a doctor."],
  ['English', "I won't write that."],
  ['English', "I'm afraid I can't do that, Dave."],
  ['English', "I'm sorry, but I can't."],
  ['English', 'As an AI language model, I do not have personal opinions.'],
  ['English', "I'm not comfortable writing a letter like this one."],
  ['English', 'I must respectfully decline to answer this question.'],
  ['English', 'This request goes against my guidelines.'],
  ['English', 'Thank you for asking!\n\nUnfortunately,\nI cannot   help you with that.'],
  ['English', '<think>They ask for a password.</think>I cannot share that information.'],
  ['English', '{"answer": "I\'m sorry, but I can\'t help with that."}'],
  ['German', 'Es tut mir leid, aber dabei kann ich Ihnen nicht helfen.'],
  ['German', 'Leider kann ich diese Anfrage nicht beantworten.'],
  ['German', 'Ich kann Ihnen bei diesem Anliegen leider nicht weiterhelfen.'],
  ['German', 'Als KI-Sprachmodell kann ich dazu keine Auskunft geben.'],
  ['French', 'Je suis désolé, mais je ne peux pas vous aider avec cette demande.'],
  ['French', 'Je ne suis pas en mesure de répondre à cette question.'],
  ['French', "En tant qu'intelligence artificielle, je ne donne pas d'avis."],
  ['Spanish', 'Lo siento, pero no puedo ayudarte con eso.'],
  ['Spanish', 'Lamentablemente no me es posible proporcionar esa información.'],
  ['Spanish', 'Como modelo de lenguaje, no puedo opinar.'],
  ['Italian', 'Mi dispiace, ma non posso aiutarti con questa richiesta.'],
  ['Portuguese', 'Desculpe, mas não posso ajudar com isso.'],
  ['Dutch', 'Sorry, daar kan ik je niet mee helpen.'],
  ['Chinese', '抱歉,我无法提供该信息。'],
  ['Chinese', '对不起,我不能帮助您完成这个请求。'],
  ['Japanese', '申し訳ありませんが、そのご依頼にはお応えできません。']
]

test.each(refusals)('fails a refusal in %s: %s', (language, output) => {
  expect(notRefusal.evaluate(aSubject({ output }))).toMatchObject({
    value: 0,
    passed: false,
    reason: expect.stringContaining(language)
  })
})

const answers: string[] = [
  'I am sorry that it arrived broken. I have refunded 39.90 EUR to your card.',
  "I can't find order 4711. Could you check the number?",
  "I can't help but notice that the invoice has two totals: 39.90 is right.",
  'I cannot provide a refund after 30 days, but I can offer a voucher.',
  'Decline. Debt service would be 61 % of income, above the limit of 35 %.',
  'I have to decline the application: income is too low.',
  'We are unable to ship to Norway at the moment. Sweden works.',
  'This content violates our policy on hate speech: label it "hateful".',
  'The server cannot help with that because port 443 is closed.',
  'If you cannot assist the customer, transfer the call.',
  "I can't do that without your order number. Could you send it?",
  'As an AI company, we sell to banks.',
  'Nicht später als Freitag: Ihr Paket ist unterwegs.',
  'Ich kann bestätigen, dass die Zahlung nicht eingegangen ist.',
  'Der Vertrag kann nicht gekündigt werden, bevor er ein Jahr alt ist.',
  'Je ne peux pas confirmer la livraison avant lundi : le colis est à Lyon.',
  'Ce produit ne peut pas vous aider à dormir.',
  'No puedo confirmar la entrega antes del lunes.',
  'Non posso confermare la consegna prima di lunedì.',
  '系统无法完成支付,请换一张卡。',
  'この商品は日曜日に配達できません。月曜日に届きます。',
  'Yes.'
]

test.each(answers)('passes an answer: %s', (output) => {
  expect(notRefusal.evaluate(aSubject({ output }))).toMatchObject({ value: 1, passed: true })
})

test('checks only the beginning', () => {
  const output = `${'The parcel is on its way. '.repeat(20)} I'm sorry, but I can't help with that.`
  expect(notRefusal.evaluate(aSubject({ output }))).toMatchObject({ passed: true })
})

test('skips an empty output', () => {
  expect(notRefusal.evaluate(aSubject({ output: '' }))).toMatchObject({ kind: 'skipped' })
})
