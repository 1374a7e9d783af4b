import type pg from 'pg'

const creating = /^\s*create index concurrently (\w+) on (\w+) ([\s\S]+)$/i
const dropping = /^\s*drop index concurrently if exists (\w+)\s*$/i

const leavesOf = `
  select c.relname as leaf from pg_partition_tree(to_regclass($1)) t join pg_class c on c.oid = t.relid
  where t.isleaf and t.level > 0 order by 1`
const isOfPartitions = `select from pg_class where oid = to_regclass($1) and relkind = 'I'`

/**
 * Runs a statement that makes or drops an index while the table is written to. PostgreSQL cannot do so concurrently on a
 * table with partitions. There, each partition gets an index of its own, and the table's index adopts them.
 */
export async function runBesideWriters(client: pg.Client, statement: string): Promise<void> {
  const text = statement.replaceAll(/^--.*$/gm, '').trim()
  const [, name, table, rest] = creating.exec(text) ?? []
  const [, dropped] = dropping.exec(text) ?? []
  if (dropped !== undefined && (await client.query(isOfPartitions, [dropped])).rowCount) {
    await client.query(`drop index ${dropped}`)
    return
  }
  const leaves = table === undefined ? [] : (await client.query<{ leaf: string }>(leavesOf, [table])).rows
  if (leaves.length === 0) {
    await client.query(text)
    return
  }
  const own = leaves.map(({ leaf }) => ({ leaf, index: `${leaf}_${name}` }))
  for (const { leaf, index } of own) {
    await client.query(`drop index concurrently if exists ${index}`)
    await client.query(`create index concurrently ${index} on ${leaf} ${rest}`)
  }
  await client.query(`create index ${name} on only ${table} ${rest}`)
  for (const { index } of own) await client.query(`alter index ${name} attach partition ${index}`)
}
