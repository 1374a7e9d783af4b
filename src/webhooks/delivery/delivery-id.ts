import { deliveryPrefix, firstEventId } from '../../kernel/dated.ts'

/** SQL for each of the three values that a delivery is named after. */
interface Named {
  readonly event: string
  readonly webhook: string
  readonly round: string
}

/**
 * SQL for the id of a delivery. Event, webhook and round give exactly one id, so whoever adds the same delivery a second
 * time finds it there. If the id of the event carries a day, the id of the delivery carries it too and lies in the same
 * partition.
 */
export function deliveryId({ event, webhook, round }: Named): string {
  const named = `concat_ws(' ', ${event}, ${webhook}, nullif(${round}, 0))`
  const digits = `overlay(left(encode(sha256(convert_to(${named}, 'UTF8')), 'hex'), 32) placing '8' from 17)`
  return `(case when ${event} >= '${firstEventId()}' then overlay(${digits} placing ${deliveryPrefix(event)} from 1)
    else overlay(${digits} placing '4' from 13) end)::uuid`
}
