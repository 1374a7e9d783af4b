import type { Patience } from '../../jobs/patience.ts'
import type { AttemptHandle } from '../dispatch/lanes.ts'
import type { ClaimedDelivery } from './queue.ts'

interface UnderWay {
  readonly webhookId: string
  readonly url: string
  readonly handle: AttemptHandle
  timer?: NodeJS.Timeout
}

/** Cuts attempts short that would keep a clock waiting while it is being moved. */
export class AttemptLimits {
  readonly #underWay = new Set<UnderWay>()
  #patience: Patience | undefined

  /** Limits attempts from now on, and those that are under way already, until the limit is lifted. */
  impose(patience: Patience | undefined): void {
    this.#patience = patience
    for (const attempt of this.#underWay) this.#limit(attempt)
  }

  /** Returns a function that must be called when the attempt has ended. */
  begin({ webhook_id: webhookId, webhook, url }: ClaimedDelivery, handle: AttemptHandle): () => void {
    const attempt: UnderWay = { webhookId, url: webhook?.url ?? url ?? '', handle }
    this.#underWay.add(attempt)
    this.#limit(attempt)
    return () => {
      clearTimeout(attempt.timer)
      this.#underWay.delete(attempt)
    }
  }

  #limit(attempt: UnderWay): void {
    const patience = this.#patience
    clearTimeout(attempt.timer)
    if (!patience) return
    const { webhookId, url, handle } = attempt
    const cutShort = () => {
      if (!this.#underWay.has(attempt) || this.#patience !== patience) return
      patience.lost(webhookId, url)
      handle.abandon?.('the clock moved on')
    }
    // If this process itself stalled, the answer may have arrived long ago. So it is read before the receiver is called late.
    attempt.timer = setTimeout(() => setImmediate(cutShort), patience.for(url))
  }
}
