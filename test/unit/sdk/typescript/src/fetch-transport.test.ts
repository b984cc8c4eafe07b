/** Tests the fetch transport, which edge hosts use. */
import { exchangeOverFetch } from '../../../../../sdk/typescript/src/fetch-transport.ts'
import { testTransport } from '../../../../support/sdk/transport-contract.ts'

testTransport('fetch', exchangeOverFetch)
