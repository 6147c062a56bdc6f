import { ageText, word } from '../figures.ts'
import { show } from '../output.ts'
import { type CommonOptions, withSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'

/** The coordinators, and who leads since when. */
export const status = (terminal: Terminal, options: CommonOptions): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const { status: found } = await session.client.call('GetStatus', {})
    if (found === undefined) return
    const { leader } = found
    const since = ageText(leader?.sinceTime, terminal.nowMs())
    await show(terminal, session.format, {
      json: found,
      rows: found.coordinators,
      nameOf: ({ id }) => `coordinators/${id}`,
      columns: [
        { title: 'COORDINATOR', of: ({ id }) => id },
        { title: 'ROLE', of: ({ role }) => word(role) },
        { title: 'ADDRESS', of: ({ address }) => address },
        { title: 'EPOCH', of: ({ id }) => (id === leader?.id ? leader.leaderEpoch : '-') },
        { title: 'SINCE', of: ({ id }) => (id === leader?.id ? since : '-') },
        { title: 'CLUSTER', of: () => found.cluster, wide: 'yes' },
        { title: 'VERSION', of: () => found.version, wide: 'yes' },
      ],
    })
  })
