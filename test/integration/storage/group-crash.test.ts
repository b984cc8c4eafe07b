/** Tests that a process exits when its consumer cannot continue, so that the process is restarted.
 */
import { AssignerProtocol, Kafka, logLevel } from 'kafkajs'
import type { Assigner } from 'kafkajs'
import { expect, test } from '@jest/globals'
import { startApplication } from '../../support/application.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createInstallation } from '../../support/installation.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'

/** Creates an assigner with a unique name. No other member of the group supports it. */
function foreignAssigner(): Assigner {
  const version = 0
  return {
    name: 'foreign',
    version,
    assign: ({ members }) =>
      Promise.resolve(
        members.map(({ memberId }) => ({
          memberId,
          memberAssignment: AssignerProtocol.MemberAssignment.encode({
            ...{ version, assignment: {}, userData: Buffer.alloc(0) }
          })
        }))
      ),
    protocol: ({ topics }) => ({
      name: 'foreign',
      metadata: AssignerProtocol.MemberMetadata.encode({
        ...{ version, topics, userData: Buffer.alloc(0) }
      })
    })
  }
}

test('storage ends with code 1 when its group speaks another protocol', async () => {
  const sluice = await createInstallation()
  const kafka = new Kafka({
    clientId: 'foreign',
    brokers: services().addresses.kafkaBrokers.split(','),
    logLevel: logLevel.NOTHING
  })
  const member = kafka.consumer({
    groupId: sluice.groups.storage,
    partitionAssigners: [foreignAssigner]
  })
  let joined = false
  member.on('consumer.group_join', () => void (joined = true))
  await member.connect()
  onEnd(() => member.disconnect())
  await member.subscribe({ topic: sluice.topics.decisions })
  await member.run({ eachMessage: () => Promise.resolve() })
  await waitUntil('the foreign member has joined', () => joined)

  const { environment } = sluice
  const storage = await startApplication('storage', { environment, waitReady: false })
  expect(await storage.exited).toBe(1)
  expect(storage.log()).toContain('consumer crashed')
}, 60_000)
