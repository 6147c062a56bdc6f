import { SeededRandom } from '@onceflow/twins'
import { describeControlLink } from '../../../test/conformance/control-link.ts'
import { createLeaderLink } from '../src/index.ts'
import { Stage, systemClock } from './control-plane.ts'

describeControlLink('gRPC', async () => {
  const stage = new Stage()
  const addresses: string[] = []
  return {
    coordinator: async () => {
      const { server, address } = await stage.coordinator()
      addresses.push(address)
      return { gate: server.gate, address }
    },
    worker: () => {
      const link = createLeaderLink({
        addresses: [...addresses],
        clock: systemClock,
        random: new SeededRandom(7),
      })
      stage.later(() => link.stop())
      return link
    },
    close: () => stage.clear(),
  }
})
