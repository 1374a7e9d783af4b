import type { AnyRoute } from '../http/route.ts'
import { beforeMark, type MarkedKind } from '../kernel/cell.ts'
import { dialects } from '../kernel/dialect.ts'
import { type PathKind, type Rule, ruleOf } from './routing.ts'

export interface Cell {
  readonly mark: string
  /** Where its services listen: host and port of each. */
  readonly servers: readonly string[]
}

export interface Balancer {
  /** The first cell gets every call that has no mark and is not in the map. */
  readonly cells: readonly [Cell, ...Cell[]]
  readonly bind: string
  readonly mapFile: string
}

type Of<By extends Rule['by']> = Extract<Rule, { by: By }>

/** The configuration of haproxy that sends every call to its cell. It is printed from the routes, so it knows all of them. */
export function printHaproxy(routes: readonly AnyRoute[], { cells, bind, mapFile }: Balancer): string {
  const rules = routes.flatMap((route) => ruleOf(route) ?? [])
  const marks = cells.map(({ mark }) => mark).join(' ')
  return `${[
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 30s',
    '  timeout server 30s',
    '  timeout http-request 10s',
    '  option forwardfor',
    '',
    'frontend quittance',
    `  bind ${bind}`,
    '  # A cell has a name of its own, for its console and for what cannot be told from a call.',
    `  http-request set-var(txn.cell) req.hdr(host),field(1,.),bytes(5,1),upper if { req.hdr(host) -i -m reg ^cell-[a-z]\\. }`,
    '  # By what the path names: these are open to others than their owner.',
    ...once(of(rules, 'path')).flatMap(inPath),
    '  # By what the body names, as far as it is in the first 16 kB.',
    ...bodies(rules),
    '  # By the account that is acted for, by its id or the digest of its address.',
    ...Object.values(dialects).flatMap(({ headerPrefix }) =>
      inAssertion(`${headerPrefix.toLowerCase()}-auth-assertion`),
    ),
    '  # By the credentials: of a token the digest is in the map.',
    ...byCredentials,
    '  # The map first: what moved keeps its mark, and what is older than the cells may have one by chance.',
    `  http-request set-var(txn.cell) var(txn.key),map_str(${mapFile}) if !{ var(txn.cell) -m found }`,
    '  http-request set-var(txn.cell) var(txn.mark) if !{ var(txn.cell) -m found }',
    `  use_backend cell-%[var(txn.cell)] if { var(txn.cell) -m str ${marks} }`,
    `  default_backend cell-${cells[0].mark}`,
    ...cells.flatMap(backend),
  ].join('\n')}\n`
}

const of = <By extends Rule['by']>(rules: readonly Rule[], by: By): Of<By>[] =>
  rules.filter((rule): rule is Of<By> => rule.by === by)

const once = <T extends { before: string }>(rules: readonly T[]): T[] => [
  ...new Map(rules.map((rule) => [rule.before, rule])).values(),
]

const notYet = '!{ var(txn.key) -m found }'
const found = '{ var(txn.key) -m found }'
const unmarked = '!{ var(txn.mark) -m found }'

const setKey = (expression: string, condition: string) =>
  `  http-request set-var(txn.key) ${expression} if ${condition}`
const setMark = (kind: MarkedKind, condition: string, from = 'var(txn.key)') =>
  `  http-request set-var(txn.mark) ${from},bytes(${beforeMark[kind].length},1) if ${condition}`

/** What a segment of the path is called in the map, and where its mark stands. */
const segments: Readonly<Record<PathKind, { starts: string; key: string; kind: MarkedKind }>> = {
  // Without its prefix, the id of an invoice begins with its mark, like the ids that have no prefix.
  code: { starts: '', key: ',upper', kind: 'transaction' },
  invoice: { starts: beforeMark.invoice, key: ',upper,regsub(INV2-,),regsub(-,,g)', kind: 'transaction' },
  dispute: { starts: beforeMark.dispute, key: ',field(1,~),upper', kind: 'dispute' },
  document: { starts: '', key: ',upper', kind: 'document' },
  certificate: { starts: beforeMark.certificate, key: ',upper', kind: 'certificate' },
}

function inPath({ before, kind }: Of<'path'>): string[] {
  const { starts, key, kind: markedAs } = segments[kind]
  const condition = `{ path_beg -i ${before}${starts} }`
  return [setKey(`path,field(${before.split('/').length},/)${key}`, condition), setMark(markedAs, condition)]
}

function bodies(rules: readonly Rule[]): string[] {
  const named = of(rules, 'body')
  const paths = named.map(({ path }) => path).join(' ')
  return [
    `  http-request wait-for-body time 5s if METH_POST { path ${paths} } || METH_POST { path_beg /v1/oauth2/ }`,
    ...named.flatMap(({ path, fields }) =>
      fields.flatMap(([place, kind]) => [
        setKey(`req.body,json_query('$.${place}')`, `METH_POST { path ${path} } ${notYet}`),
        setMark(kind, `METH_POST { path ${path} } ${found} ${unmarked}`),
      ]),
    ),
  ]
}

const inAssertion = (header: string): string[] => [
  setKey(`req.hdr(${header}),jwt_payload_query('$.payer_id')`, `{ req.hdr(${header}) -m found } ${notYet}`),
  setMark('account', `{ req.hdr(${header}) -m found } ${found} ${unmarked}`),
  setKey(
    `req.hdr(${header}),jwt_payload_query('$.email'),lower,sha2(256),hex`,
    `{ req.hdr(${header}) -m found } ${notYet}`,
  ),
]

const isClient = '{ path_beg /v1/oauth2/ }'
const byCredentials = [
  setKey('http_auth_user', `${isClient} ${notYet}`),
  setKey('req.body_param(client_id)', `${isClient} ${notYet}`),
  setMark('client', `${isClient} ${found}`),
  setMark('accessToken', `!${isClient} ${notYet}`, 'http_auth_bearer'),
  setKey('http_auth_bearer,sha2(256),hex', `!${isClient} ${notYet}`),
]

const backend = ({ mark, servers }: Cell): string[] => [
  '',
  ...backendOf(
    `cell-${mark}`,
    servers.map((address, i) => [`${mark.toLowerCase()}${i + 1}`, address]),
  ),
]

const requestIds = Object.values(dialects).map(({ headerPrefix }) => `{ req.hdr(${headerPrefix}-Request-Id) -m found }`)

/** The services of one kind, set up so that restarting them in turn fails no call. */
export const backendOf = (name: string, servers: readonly (readonly [name: string, address: string])[]): string[] => [
  `backend ${name}`,
  '  balance roundrobin',
  '  option httpchk GET /readyz',
  '  # A service that answers no is taken out after a second, one that is only slow is not.',
  '  timeout check 5s',
  '  default-server inter 500ms fall 2 rise 1',
  '  # A service that is gone is never asked twice; a request that is safe to repeat goes to the next one.',
  '  retries 3',
  '  option redispatch 1',
  '  retry-on conn-failure empty-response',
  `  http-request disable-l7-retry unless METH_GET || ${requestIds.join(' || ')}`,
  ...servers.map(([server, address]) => `  server ${server} ${address} check`),
  '  # When every check fails, ask the services all the same: their answer is worth more than a refusal from here.',
  '  option allbackups',
  ...servers.map(([server, address]) => `  server ${server}-unready ${address} backup`),
]
