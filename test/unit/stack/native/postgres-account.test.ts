/** Tests which account and folders Postgres uses. */
import { expect, test } from '@jest/globals'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  accountOf,
  dataFolderFor,
  isReachable,
  programsFor
} from '../../../../stack/native/postgres-account.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const USERS = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\n'
const POSTGRES = 'postgres:x:101:104::/var/lib/postgresql:/bin/bash\n'

test('runs as an ordinary user, in any folder', () => {
  expect(accountOf(1000, () => USERS)).toBeUndefined()
  expect(dataFolderFor('/no/such/folder', undefined)).toBe('/no/such/folder')
  expect(programsFor('/no/such/folder', undefined)).toBe('/no/such/folder')
})

test('runs as an unprivileged account if root, else says what to add', () => {
  expect(accountOf(0, () => USERS + POSTGRES)).toEqual({ uid: 101, gid: 104 })
  expect(accountOf(0, () => USERS)).toEqual({ uid: 65534, gid: 65533 })
  expect(() => accountOf(0, () => '')).toThrow(/useradd postgres/)
})

test('a folder inside a closed folder is not reachable', () => {
  const outer = temporaryFolder()
  const inner = join(outer, 'inner')
  mkdirSync(inner, { mode: 0o755 })
  expect(isReachable(inner)).toBe(false)
  chmodSync(outer, 0o755)
  expect(isReachable(inner)).toBe(true)
})
