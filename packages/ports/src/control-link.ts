import type { LeaderMessage, WorkerMessage } from './control-message.ts'

/** One connection of one worker to this coordinator; a reconnect is another link. */
export type LinkId = string

export type GateEvent =
  | { readonly kind: 'connected'; readonly link: LinkId; readonly peer: string }
  | { readonly kind: 'message'; readonly link: LinkId; readonly message: WorkerMessage }
  | { readonly kind: 'disconnected'; readonly link: LinkId; readonly cause: string }

/**
 * The coordinator's side of the control streams. Messages of one link keep their order; a message
 * may be lost only together with its link. The first message of a link is a Hello.
 */
export interface WorkerGate {
  onEvent(listener: (event: GateEvent) => void): void
  /** closed: the link is gone; a disconnected event was or will be given. */
  send(link: LinkId, message: LeaderMessage): 'queued' | 'closed'
  close(link: LinkId, cause: string): void
  /** While not leading: the leader's address, told to workers that dial in; undefined: unknown. */
  redirect(leaderAddress: string | undefined): void
  /** This coordinator leads now: accept links. */
  accept(): void
}

export type LeaderLinkEvent =
  | { readonly kind: 'connected'; readonly address: string }
  | { readonly kind: 'message'; readonly message: LeaderMessage }
  | { readonly kind: 'disconnected'; readonly cause: string }

/** The worker's side: finds the leader by asking any coordinator, and keeps one stream to it. */
export interface LeaderLink {
  onEvent(listener: (event: LeaderLinkEvent) => void): void
  start(): void
  send(message: WorkerMessage): 'queued' | 'closed'
  /** Drops the stream and looks for the leader again. */
  reconnect(cause: string): void
  stop(): Promise<void>
}
