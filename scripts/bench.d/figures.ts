import { readFile } from 'node:fs/promises'

const ticksPerSecond = 100

/** CPU seconds that processes have used so far, and the greatest memory each of them has had. */
export interface Usage {
  readonly cpuSeconds: number
  readonly peakRssMb: number
}

export async function usageOf(pids: readonly number[]): Promise<Usage> {
  let cpuSeconds = 0
  let peakRssMb = 0
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    if (stat === undefined) continue
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    cpuSeconds += (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
    // Children that have ended count through their parent.
    cpuSeconds += (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
    peakRssMb = Math.max(peakRssMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
  }
  return { cpuSeconds, peakRssMb: Math.round(peakRssMb) }
}

/** The value at a share of the sorted values: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
