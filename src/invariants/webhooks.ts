import type { Rule } from './rule.ts'

/** What events on their way must always say. */
export const webhookRules: readonly Rule[] = [
  {
    sentence: 'Every delivery carries an event that exists, for an app that event is for.',
    query: `select d.id from deliveries d
where not exists (select from events e where e.account_id = d.event_account_id and e.id = d.event_id)
  or not exists (select from event_audience a
    where a.account_id = d.account_id and a.app_id = d.app_id and a.event_id = d.event_id)`,
  },
  {
    sentence: 'What waits is a delivery that has not failed, and counts as many attempts as its log holds.',
    query: `select q.id from delivery_queue q left join deliveries d on d.account_id = q.account_id and d.id = q.id
where d.id is null or d.failure is not null
  or q.attempts <> (select count(*) from delivery_attempts t where t.account_id = q.account_id and t.delivery_id = q.id)`,
  },
  {
    sentence: 'What neither waits nor failed has arrived: a receiver accepted the last attempt.',
    query: `select d.id from deliveries d
where d.failure is null
  and not exists (select from delivery_queue q where q.account_id = d.account_id and q.id = d.id)
  and (select t.http_status between 200 and 299 from delivery_attempts t
    where t.account_id = d.account_id and t.delivery_id = d.id order by t.number desc limit 1) is not true`,
  },
  {
    sentence: 'The attempts of a delivery are numbered without a gap.',
    query: `select t.account_id, t.delivery_id from delivery_attempts t
group by t.account_id, t.delivery_id having max(t.number) <> count(*)`,
  },
]
