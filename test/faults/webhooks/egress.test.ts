import type { LookupAddress } from 'node:dns'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressRefusal, urlRefusal } from '../../../src/outbound/egress.ts'
import { EgressRefused, type Lookup } from '../../../src/outbound/guard.ts'
import { openOutbound } from '../../../src/outbound/http.ts'
import { RawReceiver } from '../../support/receiver.ts'

const live = { allowHttp: false, allowPrivate: false }
const liveButHttp = { allowHttp: true, allowPrivate: false }
const sandbox = { allowHttp: true, allowPrivate: true }

/** Where a call that slipped through would arrive. */
let canary: RawReceiver
let canary6: RawReceiver
beforeAll(async () => {
  const answer = (socket: import('node:net').Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  canary = await RawReceiver.open(answer, '0.0.0.0')
  canary6 = await RawReceiver.open(answer, '::1')
})
afterAll(() => Promise.all([canary.close(), canary6.close()]))

const hostileHosts = [
  // loopback, however it is written
  '127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001',
  '0x7F.0x0.0x0.0x1', '127.0.0.1.', '①②⑦.⓪.⓪.①', '１２７.0.0.1', '127。0。0。1', '[::1]', '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::7f00:1]', 'localhost', 'LOCALHOST', 'localhost.',
  'foo.localhost', 'ｌｏｃａｌｈｏｓｔ', '0.0.0.0', '0', '[::]',
  // private networks
  '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.255', '100.64.0.1', '[fc00::1]',
  '[fd12:3456:789a::1]', '0xa.1', '0300.0250.1',
  // link-local, and where clouds keep credentials
  '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '[::ffff:a9fe:a9fe]', '[::ffff:169.254.169.254]',
  '[fe80::1]', '[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', 'metadata.google.internal',
  // v4 addresses inside v6 ones
  '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::]',
  // nobody's
  '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
  '[ff02::1]', '[2001:db8::1]', '[fec0::1]', '[100::1]',
  // names of private networks
  'db', 'printer.local', 'vault.internal', 'wiki.intranet', 'nas.lan', 'router.home.arpa',
] // biome-ignore format: a list reads best as a list

const hostileUrls = [
  'file:///etc/passwd', 'ftp://example.com/', 'gopher://127.0.0.1:6379/_INFO', 'unix:/var/run/docker.sock', 'javascript:alert(1)',
  'data:text/plain,x', 'http://unix:/var/run/docker.sock:/info', 'https://user:pass@example.com/', 'https://example.com@127.0.0.1/',
  'https://127.0.0.1#@example.com/', 'https://example.com:22/', 'https://example.com:25/', 'https://example.com:6379/',
  'https://example.com:5432/', 'https:example.com', 'https:///127.0.0.1/', 'https:/\\127.0.0.1/', '//example.com/', 'example.com', '',
  ' https://example.com/', 'https://exam\tple.com/', 'https://example.com/\r\nHost: 127.0.0.1', 'https://', 'https://[::1', 'https://%31%32%37.0.0.1/',
  `https://example.com/${'a'.repeat(2048)}`, 'ws://example.com/', 'blob:https://example.com/x', 'https://\u0000example.com/',
] // biome-ignore format: a list reads best as a list

describe('The egress guard', () => {
  it('refuses 252 hostile addresses over http and https, at the subscription and on the wire', async () => {
    const outbound = openOutbound(liveButHttp)
    const urls = [
      ...hostileHosts.flatMap((host) => [
        `https://${host}/`,
        `http://${host}:${canary.port}/`,
        `http://${host}:${canary6.port}/`,
      ]),
      ...hostileUrls,
    ]
    expect(urls).toHaveLength(252)
    for (const url of urls) expect.soft(urlRefusal(url, live), url).toBeTypeOf('string')
    const outcomes = await Promise.all(
      urls.map((url) =>
        outbound.post({ url, headers: {}, body: '{}' }).then(
          () => `reached ${url}`,
          () => 'refused',
        ),
      ),
    )
    expect(outcomes.filter((outcome) => outcome !== 'refused')).toEqual([])
    expect([canary.connections, canary6.connections]).toEqual([0, 0])
    await outbound.close()
  })

  it('refuses an address written out even where the URL check was passed by', async () => {
    for (const host of hostileHosts.filter((name) => /^[\d.]+$|^\[/.test(name) && URL.canParse(`http://${name}/`))) {
      const { hostname } = new URL(`http://${host}/`)
      expect.soft(addressRefusal(hostname.replace(/^\[|\]$/g, ''), live), host).toBeTypeOf('string')
    }
    for (const nonsense of ['', 'nonsense', '1.2.3', '::g']) expect(addressRefusal(nonsense, live)).toBeTypeOf('string')
  })

  it('lets public addresses pass', () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:1.1.1.1'])
      expect.soft(addressRefusal(address, live), address).toBeUndefined()
    for (const url of [
      'https://example.com/hook',
      'https://example.com:8443/a?b=c#d',
      'https://xn--bcher-kva.example/',
    ])
      expect.soft(urlRefusal(url, live), url).toBeUndefined()
  })

  it('refuses http in live and says why', () => {
    expect(urlRefusal('http://example.com/hook', live)).toContain('https')
    expect(urlRefusal('http://example.com/hook', liveButHttp)).toBeUndefined()
  })

  it('lets a sandbox call localhost, and still not where clouds keep credentials', async () => {
    const outbound = openOutbound(sandbox)
    expect((await outbound.post({ url: canary.url(), headers: {}, body: '{}' })).status).toBe(200)
    expect((await outbound.post({ url: `http://localhost:${canary.port}/`, headers: {}, body: '{}' })).status).toBe(200)
    expect(urlRefusal('http://169.254.169.254/', sandbox)).toBeTypeOf('string')
    expect(urlRefusal('http://[::ffff:a9fe:a9fe]/', sandbox)).toBeTypeOf('string')
    await outbound.close()
  })

  it('is not fooled by a name that changes its address between check and use, a thousand times', async () => {
    const before = canary.connections
    let flips = 0
    // Every question gets another answer: public, private, both in either order, none.
    const answers: LookupAddress[][] = [
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '::1', family: 6 }],
      [
        { address: '192.0.2.1', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
      [
        { address: '127.0.0.1', family: 4 },
        { address: '1.1.1.1', family: 4 },
      ],
      [{ address: '::ffff:127.0.0.1', family: 6 }],
      [],
    ]
    const lookup: Lookup = (_host, _options, done) => {
      const answer = answers[flips++ % answers.length]!
      setImmediate(() => done(null, answer))
    }
    const outbound = openOutbound({ ...liveButHttp, lookup })
    const calls = Array.from({ length: 1000 }, (_, i) =>
      outbound.post({ url: `http://rebind-${i}.example.com:${canary.port}/`, headers: {}, body: '{}' }).then(
        () => 'reached',
        (error: Error) => (error instanceof EgressRefused ? 'refused' : error.message),
      ),
    )
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['refused']))
    expect(flips).toBeGreaterThanOrEqual(1000)
    expect(canary.connections).toBe(before)
    await outbound.close()
  })

  it('dials the very address it checked: one lookup a connection', async () => {
    let lookups = 0
    const lookup: Lookup = (_host, _options, done) => {
      lookups++
      setImmediate(() => done(null, [{ address: '127.0.0.1', family: 4 }]))
    }
    const outbound = openOutbound({ ...sandbox, lookup })
    const before = canary.connections
    await outbound.post({ url: `http://once.example.com:${canary.port}/`, headers: {}, body: '{}' })
    expect([lookups, canary.connections - before]).toEqual([1, 1])
    await outbound.close()
  })

  it('never follows a redirect, whatever its status', async () => {
    const before = canary.connections
    for (const status of [301, 302, 303, 307, 308]) {
      const redirecting = await RawReceiver.open((socket) =>
        socket.once('data', () =>
          socket.end(`HTTP/1.1 ${status} Over there\r\nlocation: ${canary.url()}\r\ncontent-length: 0\r\n\r\n`),
        ),
      )
      const outbound = openOutbound(sandbox)
      const answer = await outbound.post({ url: redirecting.url(), headers: {}, body: '{}' })
      expect(answer).toMatchObject({ status, reason: 'Over there', headers: { location: canary.url() } })
      await outbound.close()
      await redirecting.close()
    }
    expect(canary.connections).toBe(before)
  })

  it('takes no proxy from the environment', async () => {
    process.env['HTTP_PROXY'] = process.env['http_proxy'] = canary.url('')
    const outbound = openOutbound({ ...liveButHttp, lookup: (_h, _o, done) => done(new Error('no such name'), []) })
    const before = canary.connections
    await expect(outbound.post({ url: 'http://example.com/', headers: {}, body: '{}' })).rejects.toThrow('no such name')
    expect(canary.connections).toBe(before)
    delete process.env['HTTP_PROXY']
    delete process.env['http_proxy']
    await outbound.close()
  })
})
