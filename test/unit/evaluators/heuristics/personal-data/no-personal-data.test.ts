/** Tests no_personal_data: it finds real data, ignores lookalikes, and never quotes a match. */
import { expect, test } from '@jest/globals'
import { noPersonalData } from '../../../../../evaluators/heuristics/personal-data/no-personal-data.ts'
import { aSubject } from '../../a-subject.ts'
import { aVersion, found as foundBy } from '../../a-version.ts'

/** Assembled at run time, so that secret scanners do not report this file. */
const secrets = {
  openai: `sk-proj-${'Ab3dEf6hIj9kLm2nOp5q'.repeat(2)}`,
  hexadecimal: `sk-${'0f1e2d3c4b5a69788796a5b4c3d2e1f0'}`,
  sluice: `slk_local_8rsxYguJz2QL_${'G2Bc24VJcCMBB1iBDrDC8alukBtmTQqm4coeg3'}`,
  github: `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`,
  amazon: `AKIA${'QX7RZ2MWP4TL9VBN'}`,
  slack: `xoxb-${'271828182845-904523536028-kJh7Gf5Ds3'}`,
  stripe: `sk_live_${'9aZbY8cXdW7eVfU6gTh5'}`,
  jwt: `eyJ${'hbGciOiJFUzI1NiJ9'}.eyJ${'zdWIiOiI0NzExIn0'}.${'k3VqP9sLw2XzR7tYb1NmQ4cD'}`,
  privateKey: `-----BEGIN ${'PRIVATE'} KEY-----\nMIGHAgEAMBMGByqGSM49AgEG`,
  password: `postgres://app:${'tr0ub4dor-3'}@db.internal.shop.eu/orders`
}

const found: [string, string, string][] = [
  ['an email address', 'Write to jane.roe+x@mail.shop.co.uk.', '1 email address'],
  ['one after a label', 'E-mail:jane@roe.org', '1 email address'],
  ['one with other letters', 'Schreiben Sie an jürgen@müller.de!', '1 email address'],
  ['two, one of them twice', 'a.b@roe.org, A.B@roe.org, c.d@roe.org', '2 email addresses'],
  ['an international number', 'Call +49 (0)151 2345-6789 today.', '1 phone number'],
  ['one without separators', 'tel:+14155550199 or +14152368877', '1 phone number'],
  ['a North American number', 'His number is (415) 236-8877.', '1 phone number'],
  ['one with dots', 'Reach her at 415.236.8877 now', '1 phone number'],
  ['a national number that is named', 'Telefon: 0151 / 234 567 89', '1 phone number'],
  ['a payment card', 'Card 4111 1111 1111 1111 was charged.', '1 payment card number'],
  ['one with hyphens', '5500-0055-5555-5559', '1 payment card number'],
  ['one without groups', 'pan=378282246310005;', '1 payment card number'],
  ['one in the groups of its issuer', '3782 822463 10005', '1 payment card number'],
  ['an IBAN in groups', 'IBAN DE89 3704 0044 0532 0130 00, thank you', '1 IBAN'],
  ['one without groups', 'to GB29NWBK60161331926819.', '1 IBAN'],
  ['one before a word in capitals', 'AT61 1904 3002 3457 3201 BANK', '1 IBAN'],
  ...Object.entries(secrets).map(([name, secret]): [string, string, string] => [
    `a secret of the kind ${name}`,
    `Use ${secret} for it.`,
    '1 secret'
  ])
]

test.each(found)('fails %s', (_, output, reason) => {
  expect(noPersonalData.evaluate(aSubject({ output }))).toMatchObject({
    value: 0,
    passed: false,
    reason: `Found ${reason}.`
  })
})

const harmless: [string, string][] = [
  ['an address for examples', 'jane@example.com, jane@mail.example.org, a@b.test'],
  ['a role address', 'Write to support@shop.eu or no-reply@shop.eu.'],
  ['a Git remote', 'git clone git@github.com:acme/shop.git'],
  ['the name of a file', 'See logo@2x.png and react@18.2.0.tgz.'],
  ['a package', 'npm install @scope/package@1.2.3'],
  ['a handle in a social network', 'Ask @jane on https://social.eu/@jane'],
  ['a number reserved for fiction', 'Call (212) 555-0142 or +1 212 555 0142.'],
  ['a hotline', 'Call +1 800 236 8877 or +49 800 2368877 for free.'],
  ['an order number', 'Order 0151 2345678 and ticket 415-2368877.'],
  ['a date with a time', 'From 2025-01-15 12:00:00 to 2025-02-15 12:00:00+01:00'],
  ['a version', 'Version 10.15.7.19041, build 20250115120000'],
  ['an amount', 'Revenue grew by +1,234,567,890 EUR, then by +12 %.'],
  ['a network address', '192.168.100.200 and 255.255.255.0'],
  ['digits with a wrong check digit', 'Number 4111 1111 1111 1112'],
  ['digits that no issuer assigns', 'Number 9111111111111111 or 1000000000000008'],
  ['a card within a longer number', '12344111111111111111119876'],
  ['a card within an identifier', 'id-4111111111111111 x4111111111111111'],
  ['a decimal', '0.4111111111111111'],
  ['a UUID', '01938c4e-5b7a-7c3e-9f00-411111111111'],
  ['an IBAN with a wrong check', 'DE88 3704 0044 0532 0130 00'],
  ['a country without IBANs', 'US89 3704 0044 0532 0130 00'],
  ['a key from documentation', `AKIA${'IOSFODNN7EXAMPLE'} and sk-${'x'.repeat(40)}`],
  ['a name that looks like a key', 'The class sk-folding-cube-animation-wrapper-2 spins.'],
  ['a password from documentation', 'postgres://user:somepassword@localhost/db, redis://u:${PW}@h'],
  ['the name of a key format', 'The file begins with -----BEGIN PRIVATE KEY-----.'],
  ['a hash', 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08']
]

test.each(harmless)('passes %s', (_, output) => {
  expect(noPersonalData.evaluate(aSubject({ output }))).toMatchObject({
    value: 1,
    passed: true,
    reason: 'Found no personal data or secrets.'
  })
})

const known: [string, unknown, string][] = [
  ['an address', { messages: [{ role: 'user', content: 'I am Jane@roe.org' }] }, 'jane@roe.org'],
  ['a number in other groups', { phone: '0151-23456789' }, 'Call +49 151 2345 6789.'],
  ['a card without spaces', { card: 4111111111111111 }, '4111 1111 1111 1111'],
  [
    'an IBAN after a line break',
    'My account:\nDE89370400440532013000',
    'DE89 3704 0044 0532 0130 00'
  ],
  ['a secret', { env: `KEY=${secrets.openai}` }, `Rotate ${secrets.openai} now.`],
  [
    'data deep in a large input',
    {
      pages: ['x'.repeat(40_000), { from: 'jane@roe.org' }]
    },
    'jane@roe.org'
  ]
]

test.each(known)('passes data that is in the input: %s', (_, input, output) => {
  const finding = noPersonalData.evaluate(aSubject({ input: JSON.stringify(input), output }))
  expect(finding).toMatchObject({
    passed: true,
    reason: expect.stringMatching(/^Found 1 .+, all of them already in the input\.$/)
  })
})

test('counts disclosed and known matches by kind', () => {
  const output =
    'jane@roe.org and john@roe.org asked about 4111 1111 1111 1111; call +49 151 23456789.'
  const finding = noPersonalData.evaluate(aSubject({ input: '"I am jane@roe.org"', output }))
  expect(finding).toMatchObject({
    passed: false,
    reason:
      'Found 1 email address, 1 phone number and 1 payment card number, ' +
      'and 1 email address that the input already contained.'
  })
})

test('never quotes a match', () => {
  for (const [, output] of found) {
    const finding = noPersonalData.evaluate(aSubject({ output }))
    const reason = finding.kind === 'finding' ? finding.reason : ''
    expect(reason.replaceAll(/\b\d\b/g, '')).not.toMatch(/[@\d]/)
  }
})

test('states how many characters of a large output were read', () => {
  const long = 'All is well. '.repeat(10_000)
  const reason = expect.stringContaining('in the first 65,536 characters')
  expect(noPersonalData.evaluate(aSubject({ output: long }))).toMatchObject({
    passed: true,
    reason
  })
  const leak = noPersonalData.evaluate(aSubject({ output: `jane@roe.org ${long}` }))
  expect(leak).toMatchObject({ passed: false, reason })
})

test('detects only the selected kinds', () => {
  const output = 'Write to jane.doe@acme.com or pay with 4111 1111 1111 1111.'
  const check = 'no_personal_data'
  const of = (kinds: string[]) => foundBy(aVersion('heuristic', { check, kinds }), { output })
  expect(of(['email'])).toMatchObject({ passed: false, reason: 'Found 1 email address.' })
  expect(of(['card'])).toMatchObject({ passed: false, reason: 'Found 1 payment card number.' })
  expect(of(['iban', 'phone', 'secret'])).toMatchObject({ passed: true })
})
