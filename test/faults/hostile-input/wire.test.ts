import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, paperServer, publicUrl } from '../../support/paper-server.ts'
import { sendRaw } from '../../support/wire.ts'

const server = paperServer({ bodyTimeoutMs: 100 })
let port = 0

beforeAll(async () => {
  port = await listen(server)
})
afterAll(() => server.close())

const host = 'Host: service.test\r\n'
const get = (target: string, headers = host) => `GET ${target} HTTP/1.1\r\n${headers}\r\n`
const post = (headers: string, body = '') => `POST /papers HTTP/1.1\r\n${host}${headers}\r\n${body}`
const json = 'Content-Type: application/json\r\n'
const many = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: y\r\n`).join('')

// biome-ignore format: a table reads best as a table
const attacks: readonly (readonly [what: string, bytes: string, status: number | readonly number[]])[] = [
  ['two Host headers',                         get('/papers/a', `${host}host: evil.test\r\n`),                400],
  ['no Host header',                           get('/papers/a', ''),                                          400],
  ['two Authorization headers',                get('/papers/a', `${host}Authorization: a\r\nAuthorization: b\r\n`), 400],
  ['two Content-Type headers',                 post(`${json}Content-Type: text/plain\r\nContent-Length: 2\r\n`, '{}'), 400],
  ['an absolute target',                       get('http://evil.test/papers/a'),                              400],
  ['an absolute target of our own',            get('http://service.test/papers/a'),                           400],
  ['an asterisk',                              `OPTIONS * HTTP/1.1\r\n${host}\r\n`,                           400],
  ['a target that is no path',                 get('papers'),                                                 400],
  ['a CONNECT',                                `CONNECT evil.test:443 HTTP/1.1\r\n${host}\r\n`,               405],
  ['an unknown method',                        `BREW /papers HTTP/1.1\r\n${host}\r\n`,                        400],
  ['a method in small letters',                `get /papers/a HTTP/1.1\r\n${host}\r\n`,                       400],
  ['a method of another protocol',             `PROPFIND /papers HTTP/1.1\r\n${host}\r\n`,                    [404, 405]],
  ['TRACE',                                    `TRACE /papers HTTP/1.1\r\n${host}\r\n`,                       [404, 405]],
  ['a method the address does not take',       `DELETE /papers HTTP/1.1\r\n${host}\r\n`,                      405],
  ['headers of 16 KiB and one byte',           get('/papers/a', `${host}X: ${'y'.repeat(16_385)}\r\n`),       431],
  ['an address of 16 KiB',                     get(`/papers/${'a'.repeat(16_400)}`),                          431],
  ['101 headers',                              get('/papers/a', host + many(100)),                            431],
  ['3,000 headers',                            get('/papers/a', host + many(3_000)),                          431],
  ['two different Content-Lengths',            post(`${json}Content-Length: 2\r\nContent-Length: 3\r\n`, '{}'), 400],
  ['two equal Content-Lengths',                post(`${json}Content-Length: 2\r\nContent-Length: 2\r\n`, '{}'), 400],
  ['a list of Content-Lengths',                post(`${json}Content-Length: 2, 2\r\n`, '{}'),                 400],
  ['a negative Content-Length',                post(`${json}Content-Length: -1\r\n`, '{}'),                   400],
  ['a Content-Length with a sign',             post(`${json}Content-Length: +2\r\n`, '{}'),                   400],
  ['a Content-Length in hex',                  post(`${json}Content-Length: 0x2\r\n`, '{}'),                  400],
  ['a Content-Length beyond all numbers',      post(`${json}Content-Length: ${'9'.repeat(30)}\r\n`, '{}'),    400],
  ['length and chunks',                        post(`${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`, '0\r\n\r\n'), 400],
  ['chunks and length',                        post(`${json}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n`, '0\r\n\r\n'), 400],
  ['an unknown transfer encoding',             post(`${json}Transfer-Encoding: xchunked\r\n`, '0\r\n\r\n'),   400],
  ['chunked not last',                         post(`${json}Transfer-Encoding: chunked, gzip\r\n`, '0\r\n\r\n'), 400],
  ['a packed transfer',                        post(`${json}Transfer-Encoding: gzip, chunked\r\n`, '2\r\n{}\r\n0\r\n\r\n'), 400],
  ['two transfer encodings',                   post(`${json}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n`, '0\r\n\r\n'), 400],
  ['a blank before the colon',                 post(`${json}Content-Length : 2\r\n`, '{}'),                   400],
  ['a folded header',                          get('/papers/a', `${host}X: a\r\n b\r\n`),                     400],
  ['a bare line feed in a header',             get('/papers/a', `${host}X: a\nY: b\r\n`),                     400],
  ['a NUL in a header',                        get('/papers/a', `${host}X: a\0b\r\n`),                        400],
  ['a header without a name',                  get('/papers/a', `${host}: a\r\n`),                            400],
  ['a chunk size that is no number',           post(`${json}Transfer-Encoding: chunked\r\n`, 'xx\r\n{}\r\n0\r\n\r\n'), 400],
  ['a chunk size that overflows',              post(`${json}Transfer-Encoding: chunked\r\n`, 'ffffffffffffffffff\r\n{}'), 400],
  ['endless chunk extensions',                 post(`${json}Transfer-Encoding: chunked\r\n`, `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), 413],
  ['another protocol',                         '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',       400],
  ['HTTP/2',                                   'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',                            400],
  ['HTTP/9.9',                                 `GET /papers/a HTTP/9.9\r\n${host}\r\n`,                       400],
  ['an expectation we cannot meet',            post(`${json}Expect: 200-ok\r\nContent-Length: 2\r\n`, '{}'),  417],
  ['a body larger than it may be',             post(`${json}Content-Length: 1048577\r\n`),                    413],
  ['a multipart body larger than it may be',   post('Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 60000000\r\n'), 400],
  ['a multipart body without a boundary',      post('Content-Type: multipart/form-data\r\nContent-Length: 2\r\n', '{}'), 400],
  ['a content type nobody knows',              post('Content-Type: text/yaml\r\nContent-Length: 2\r\n', '{}'), 415],
  ['a content type that is none',              post('Content-Type: \x01\x02\r\nContent-Length: 2\r\n', '{}'), [400, 415]],
  ['a multipart nobody knows',                 post('Content-Type: multipart/byteranges; boundary=b\r\nContent-Length: 5\r\n', '--b--'), 415],
  ['a packed body',                            post(`${json}Content-Encoding: gzip\r\nContent-Length: 2\r\n`, '{}'), 415],
  ['a body without a content type',            post('Content-Length: 2\r\n', '{}'),                           415],
  ['JSON that is none',                        post(`${json}Content-Length: 2\r\n`, '{,'),                    400],
  ['a percent sign alone in the path',         get('/papers/%'),                                              400],
  ['bad UTF-8 in the path',                    get('/papers/%ff'),                                            400],
  ['NUL in the path',                          get('/papers/%00'),                                            400],
  ['a way up in the path',                     get('/papers/%2e%2e%2fetc'),                                   400],
  ['backslashes in the path',                  get('/papers/..%5c..%5cetc'),                                  400],
  ['a path parameter of 15 KiB',               get(`/papers/${'a'.repeat(15_000)}`),                          [400, 404]],
  ['a percent sign alone in the query',        get('/papers/a?page=%'),                                       400],
  ['NUL in the query',                         get('/papers/a?x=%00'),                                        400],
  ['a prototype in the query',                 get('/papers/a?__proto__=1'),                                  400],
  ['a parameter with two values',              get('/papers/a?page=1&page=2'),                                400],
  ['bytes beyond ASCII in the query',          get('/papers/a?page=\xff'),                                    400],
  ['an Accept nobody can serve',               get('/papers/a', `${host}Accept: text/html\r\n`),              406],
  ['an address that does not exist',           get('/nowhere?x=%'),                                           404],
]

describe('on the wire', () => {
  it.each(attacks)('refuses %s', async (_what, bytes, status) => {
    const answer = await sendRaw(port, Buffer.from(bytes, 'latin1'))

    expect([status].flat()).toContain(answer.status)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    const body = JSON.parse(answer.text) as Record<string, unknown>
    expect(body).toMatchObject({ name: expect.any(String), message: expect.any(String), debug_id: expect.any(String) })
    expect(answer.headers['service-debug-id']).toBe(body['debug_id'])
    expect(answer.text).not.toMatch(/evil\.test|node_modules|\bat \w+ \(/)
  })

  it('is tried in 65 forms', () => {
    expect(attacks).toHaveLength(65)
  })

  it('still serves everybody else', async () => {
    expect(await sendRaw(port, get('/papers/a?page=2&page=2'))).toMatchObject({
      status: 200,
      text: '{"id":"a","page":2}',
    })
    expect(await sendRaw(port, post(`${json}Content-Length: 12\r\n`, '{"note":"n"}'))).toMatchObject({ status: 200 })
    expect(await sendRaw(port, post(`${json}Transfer-Encoding: chunked\r\n`, '2\r\n{}\r\n0\r\n\r\n'))).toMatchObject({
      status: 200,
    })
    expect(await sendRaw(port, `GET /papers/a HTTP/1.0\r\n\r\n`)).toMatchObject({ status: 200 })
    expect(await sendRaw(port, get('/papers/a', `${host}Connection: Upgrade\r\nUpgrade: websocket\r\n`))).toMatchObject(
      { status: 200 },
    )
    expect(await sendRaw(port, get('/papers/a', host + many(99)))).toMatchObject({ status: 200 })
  })

  it('builds no link from what a client says about itself', async () => {
    const spoof =
      'Host: evil.test\r\nX-Forwarded-Host: evil.test\r\nX-Forwarded-Proto: gopher\r\nForwarded: host=evil.test\r\nX-Forwarded-For: 1.2.3.4\r\nX-Original-URL: /papers/b\r\nX-Rewrite-URL: /papers/b\r\nX-HTTP-Method-Override: DELETE\r\n'

    const refused = await sendRaw(port, get('/papers/1', spoof))
    const served = await sendRaw(port, get('/papers/a', spoof))

    expect(refused.status).toBe(400)
    expect(refused.text).toContain(publicUrl)
    expect(refused.text).not.toContain('evil.test')
    expect(served.text).toBe('{"id":"a"}')
  })

  it('answers 413 to a body without a length before it has taken much of it', async () => {
    let taken = 0
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`

    const answer = await sendRaw(port, post(`${json}Transfer-Encoding: chunked\r\n`), function push(socket) {
      if (socket.destroyed || taken > 200) return
      taken++
      socket.write(chunk, () => push(socket))
    })

    expect(answer.status).toBe(413)
    expect(taken).toBeLessThan(200)
  })

  it('closes a connection on which nobody ever asked anything, and has no words for it', async () => {
    server.server.once('connection', (socket) =>
      server.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket),
    )
    const answered: Buffer[] = []
    const socket = connect(port, '127.0.0.1').on('data', (bytes) => answered.push(bytes))

    await new Promise((resolve) => socket.on('close', resolve))

    expect(answered).toEqual([])
  })

  it('gives up on a body that does not come', async () => {
    const answer = await sendRaw(port, post(`${json}Content-Length: 10\r\n`, '{"note"'))

    expect(answer.status).toBe(408)
    expect(JSON.parse(answer.text)).toMatchObject({ name: 'INVALID_REQUEST', debug_id: expect.any(String) })
  })

  it('forgets a sender that goes away in the middle', async () => {
    for (const type of ['application/json', 'multipart/form-data; boundary=b']) {
      const answer = await sendRaw(
        port,
        post(`Content-Type: ${type}\r\nContent-Length: 100\r\n`, '--b\r\n'),
        (socket) => socket.end(),
      )
      expect([0, 400]).toContain(answer.status)
    }

    expect(await sendRaw(port, get('/papers/a'))).toMatchObject({ status: 200 })
  })

  it('bounds how long headers, requests and idle connections last', () => {
    expect(server.server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 65_000,
      maxConnections: 2_000,
    })
  })

  it('answers what came before the garbage, and closes after it', async () => {
    const first = get('/papers/a')

    const answer = await sendRaw(port, `${first}GARBAGE\r\n\r\n`)

    expect([200, 400]).toContain(answer.status)
    expect(await sendRaw(port, first)).toMatchObject({ status: 200 })
  })
})
