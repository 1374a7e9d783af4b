import { deliveryPrefix, firstEventId } from '../../kernel/dated.ts'

/** SQL for each of the three that name a delivery. */
interface Named {
  readonly event: string
  readonly webhook: string
  readonly round: string
}

/**
 * SQL for the id of a delivery: there is one of each event, webhook and round, so whoever adds it a second time finds it
 * there. With a day in the id of the event it has the same, and is kept with it.
 */
export function deliveryId({ event, webhook, round }: Named): string {
  const named = `concat_ws(' ', ${event}, ${webhook}, nullif(${round}, 0))`
  const digits = `overlay(left(encode(sha256(convert_to(${named}, 'UTF8')), 'hex'), 32) placing '8' from 17)`
  return `(case when ${event} >= '${firstEventId()}' then overlay(${digits} placing ${deliveryPrefix(event)} from 1)
    else overlay(${digits} placing '4' from 13) end)::uuid`
}
