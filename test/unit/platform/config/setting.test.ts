/** Tests how the text of each kind of setting is parsed. */
import { describe, expect, test } from '@jest/globals'
import { flag, integer, integerOrAuto, list } from '../../../../platform/config/setting.ts'
import { networks, oneOf, secret, text, url } from '../../../../platform/config/setting.ts'
import type { Setting } from '../../../../platform/config/setting.ts'

const port = integer('Port.', 8080, [0, 65_535])
const workers = integerOrAuto('Workers.', 1, { range: [1, 8], auto: () => 6 })
const crowd = integerOrAuto('Workers.', 1, { range: [1, 8], auto: () => 96 })
const brokers = list('Brokers.')
const proxies = networks('Proxies.')
const redis = url('Redis.', ['redis:', 'rediss:'])
const pepper = secret('Pepper.', 32)
const docs = flag('Docs.', false)
const routes = oneOf('Routes.', 'all', ['ingest', 'api', 'all'])

describe('valid text', () => {
  test.each<[Setting<unknown>, string, unknown]>([
    [text('Name.', 'a'), ' b ', ' b '],
    [port, '0', 0],
    [port, '65535', 65_535],
    [workers, '3', 3],
    [workers, 'auto', 6],
    [crowd, 'auto', 8],
    [docs, 'true', true],
    [docs, 'false', false],
    [routes, 'ingest', 'ingest'],
    [brokers, 'a:1', ['a:1']],
    [brokers, ' a.example:9092 ,10.0.0.1:9093', ['a.example:9092', '10.0.0.1:9093']],
    [proxies, '192.0.2.1', ['192.0.2.1']],
    [proxies, '10.0.0.0/8 , 2001:db8::/32,::1', ['10.0.0.0/8', '2001:db8::/32', '::1']],
    [redis, 'rediss://:p@h:6379/1', 'rediss://:p@h:6379/1'],
    [pepper, 'p'.repeat(32), 'p'.repeat(32)]
  ])('%#: %j is parsed', (setting, raw, value) => {
    expect(setting.parse(raw)).toEqual(value)
  })
})

describe('invalid text is rejected with the expectation', () => {
  const network = 'expected an IP address or a network such as 10.0.0.0/8'
  const whole = 'expected a whole number from 0 to 65535'
  test.each<[Setting<unknown>, string, string]>([
    [port, '-1', `is "-1", ${whole}`],
    [port, '65536', `is "65536", ${whole}`],
    [port, '80.5', `is "80.5", ${whole}`],
    [port, 'http', `is "http", ${whole}`],
    [port, '80 81', `is "80 81", ${whole}`],
    [port, 'Infinity', `is "Infinity", ${whole}`],
    [workers, '0', 'is "0", expected auto or a whole number from 1 to 8'],
    [workers, 'Auto', 'is "Auto", expected auto or a whole number from 1 to 8'],
    [docs, 'yes', 'is "yes", expected true or false'],
    [docs, 'TRUE', 'is "TRUE", expected true or false'],
    [routes, 'All', 'is "All", expected one of ingest, api, all'],
    [brokers, 'a', 'contains "a", expected host:port'],
    [brokers, 'a:1,', 'contains "", expected host:port'],
    [brokers, 'a:1,b:x', 'contains "b:x", expected host:port'],
    [brokers, 'kafka://a:1', 'contains "kafka://a:1", expected host:port'],
    [proxies, 'proxy', `contains "proxy", ${network}`],
    [proxies, '10.0.0.0/8,', `contains "", ${network}`],
    [proxies, '10.0.0/8', `contains "10.0.0/8", ${network}`],
    [proxies, '10.0.0.0/33', `contains "10.0.0.0/33", ${network}`],
    [proxies, '10.0.0.0/8/8', `contains "10.0.0.0/8/8", ${network}`],
    [proxies, '::/0', `contains "::/0", ${network}`],
    [proxies, '2001:db8::/129', `contains "2001:db8::/129", ${network}`],
    [proxies, 'fe80::1%eth0', `contains "fe80::1%eth0", ${network}`],
    [redis, 'h:6379', 'must be a URL that begins with redis:// or rediss:// and names a host'],
    [redis, 'http://h', 'must be a URL that begins with redis:// or rediss:// and names a host'],
    [pepper, 'short', 'has 5 characters; at least 32 are required']
  ])('%#: %j: %s', (setting, raw, message) => {
    expect(() => setting.parse(raw)).toThrow(new Error(message))
  })
})

test('an error never repeats a text that may contain a password', () => {
  const password = 'hunter2-hunter2'
  expect(() => redis.parse(`postgres://u:${password}@h`)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(password) })
  )
  expect(() => pepper.parse(password)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(password) })
  )
})

test('a list is frozen, and only secrets are secret', () => {
  expect(Object.isFrozen(brokers.parse('a:1'))).toBe(true)
  expect(pepper.isSecret).toBe(true)
  expect([port, brokers, redis, docs, routes].some(({ isSecret }) => isSecret)).toBe(false)
})

test('a required setting has no default', () => {
  expect([brokers, redis, pepper].map((setting) => setting.default)).toEqual(
    Array(3).fill(undefined)
  )
  expect([port, docs, routes].map((setting) => setting.default)).toEqual([8080, false, 'all'])
})
