/** Creates values that JSON cannot represent, as described by `$value` objects in the cases. */

type Members = Readonly<Record<string, unknown>>
type Make = (given: Members) => unknown

class Thing {
  readonly hidden = 'PRIVATE-PAYLOAD'
}

class NamedError extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

const makers: Readonly<Record<string, Make>> = {
  absent: () => undefined,
  big_integer: ({ digits }) => BigInt(String(digits)),
  power: ({ base, exponent }) => BigInt(Number(base)) ** BigInt(Number(exponent)),
  nan: () => NaN,
  infinity: () => Infinity,
  minus_infinity: () => -Infinity,
  date_time: ({ iso }) => new Date(String(iso)),
  bytes: ({ hex }) => Uint8Array.from(Buffer.from(String(hex), 'hex')),
  byte_buffer: ({ hex }) => Uint8Array.from(Buffer.from(String(hex), 'hex')).buffer,
  text: ({ characters, of }) => ((of as string | undefined) ?? 'x').repeat(Number(characters)),
  deep: ({ levels, kind }) => deepOf(Number(levels), kind),
  cyclic: () => {
    const value: Record<string, unknown> = { name: 'me' }
    value['self'] = value
    return value
  },
  cyclic_list: () => {
    const value: unknown[] = [1]
    value.push(value)
    return value
  },
  twice: ({ value }) => {
    const shared = valueOf(value)
    return [shared, shared]
  },
  map: ({ entries }) => new Map((entries as [unknown, unknown][]).map(([k, v]) => [k, valueOf(v)])),
  set: ({ values }) => new Set((values as unknown[]).map(valueOf)),
  error: ({ name, message }) => new NamedError(String(name), String(message)),
  gives: ({ value }) => ({ toJSON: () => valueOf(value) }),
  throws: ({ name }) => ({
    get member(): never {
      throw new NamedError(String(name), 'PRIVATE-PAYLOAD')
    }
  }),
  throws_whole: ({ name }) => ({
    toJSON: () => {
      throw new NamedError(String(name), 'PRIVATE-PAYLOAD')
    }
  }),
  function: () => function answer() {},
  class: () => Thing
}

function deepOf(levels: number, kind: unknown): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = kind === 'list' ? [value] : { a: value }
  return value
}

/** Replaces each `$value` object in `given`, at any depth, with the value it describes. */
export function valueOf(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  if (Array.isArray(given)) return given.map(valueOf)
  const { $value: name, ...rest } = given as Record<string, unknown>
  if (typeof name !== 'string') {
    const made = Object.entries(given).map(([key, value]) => [key, valueOf(value)] as const)
    return Object.fromEntries(made)
  }
  const make = makers[name]
  if (make === undefined) throw new TypeError(`unknown value ${name}`)
  return make(rest)
}

/** Overwrites a value in place at every depth, as an application might after logging it. */
export function destroy(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    value.forEach(destroy)
    value.push('changed afterwards')
    return
  }
  if (ArrayBuffer.isView(value)) {
    new Uint8Array(value.buffer, value.byteOffset, value.byteLength).fill(0)
    return
  }
  const members = value as Record<string, unknown>
  for (const name of Object.keys(members)) {
    destroy(members[name])
    members[name] = 'changed afterwards'
  }
}
