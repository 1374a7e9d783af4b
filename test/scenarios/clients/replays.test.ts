import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { recorded } from '../../../src/compatibility.ts'
import { shopOf } from '../../support/shop.ts'
import { sendRaw } from '../../support/wire.ts'
import { newWorld, type World } from '../../support/world.ts'
import { open, sees } from '../disputes/people.ts'

let world: World
let port: number
beforeAll(async () => {
  world = await newWorld()
  port = Number(new URL(await world.app.listen()).port)
})
afterAll(() => world.close())

const words = '{"evidences":[{"evidence_type":"OTHER","notes":"n"}]}'
const pdf = '%PDF-1.4\nhello\n'

/** A request as a client wrote it, but for the address, the length and the token; `ID` stands for what it is about. */
interface Recording {
  readonly about: 'a dispute' | 'an invoice' | 'nothing'
  readonly line: string
  readonly headers: readonly string[]
  readonly body?: string
  readonly status: number
  /** The name under which the document is kept, where there is one. */
  readonly document?: string
}

const evidence = 'POST /v1/customer/disputes/ID/provide-evidence HTTP/1.1'
const disposition = 'Content-Disposition: form-data;'
const form = (boundary: string, parts: readonly string[]) =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
/** In pieces of a hundred bytes, each with its length before it. */
const inChunks = (body: string) =>
  `${(body.match(/.{1,100}/gs) ?? []).map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`
const requests = [
  'User-Agent: python-requests/2.34.2',
  'Accept-Encoding: gzip, deflate',
  'Accept: */*',
  'Connection: keep-alive',
]

const recordings: Record<keyof typeof recorded, Recording> = {
  'curl, a form': {
    about: 'a dispute',
    line: evidence,
    headers: [
      'User-Agent: curl/7.88.1',
      'Accept: */*',
      'Content-Type: multipart/form-data; boundary=------------------------20d0b5523ca61501',
    ],
    body: form('------------------------20d0b5523ca61501', [
      `${disposition} name="input"\r\n\r\n${words}`,
      `${disposition} name="evidence-file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${pdf}`,
    ]),
    status: 200,
    document: 'a.pdf',
  },
  'curl, a file without a name': {
    about: 'a dispute',
    line: evidence,
    headers: [
      'User-Agent: curl/7.88.1',
      'Accept: */*',
      'Content-Type: multipart/form-data; boundary=------------------------025567fcecbafc49',
    ],
    body: form('------------------------025567fcecbafc49', [
      `${disposition} name="input"\r\n\r\n${words}`,
      `${disposition} name="evidence-file"\r\nContent-Type: application/pdf\r\n\r\n${pdf}`,
    ]),
    status: 200,
    document: 'evidence-file.pdf',
  },
  'requests, a file from bytes': {
    about: 'a dispute',
    line: evidence,
    headers: [...requests, 'Content-Type: multipart/form-data; boundary=ca9911759acf4f373a3ccee6e49b68e2'],
    body: form('ca9911759acf4f373a3ccee6e49b68e2', [
      `${disposition} name="input"\r\nContent-Type: application/json\r\n\r\n${words}`,
      `${disposition} name="evidence-file"; filename="evidence-file"\r\n\r\n${pdf}`,
    ]),
    status: 200,
    document: 'evidence-file.pdf',
  },
  'requests, a query': {
    about: 'nothing',
    line: 'GET /v2/invoicing/invoices?total_required=True&fields=items&fields=amount HTTP/1.1',
    headers: requests,
    status: 200,
  },
  'requests, nothing': {
    about: 'an invoice',
    line: 'POST /v2/invoicing/invoices/ID/send HTTP/1.1',
    headers: [...requests, 'Content-Type: application/json'],
    body: 'null',
    status: 200,
  },
  'fetch, a form of Blobs': {
    about: 'a dispute',
    line: evidence,
    headers: [
      'connection: keep-alive',
      'content-type: multipart/form-data; boundary=----formdata-undici-099927821005',
      'accept: */*',
      'accept-language: *',
      'sec-fetch-mode: cors',
      'user-agent: node',
      'accept-encoding: gzip, deflate',
    ],
    body: form('----formdata-undici-099927821005', [
      `${disposition} name="input"; filename="blob"\r\nContent-Type: application/json\r\n\r\n${words}`,
      `${disposition} name="evidence-file"; filename="blob"\r\nContent-Type: application/octet-stream\r\n\r\n${pdf}`,
    ]),
    status: 200,
    document: 'evidence-file.pdf',
  },
  'superagent, a form': {
    about: 'a dispute',
    line: evidence,
    headers: [
      'Accept-Encoding: gzip, deflate',
      'content-type: multipart/form-data; boundary=--------------------------371fbca02d1525c13f41f893',
      'Connection: close',
    ],
    body: form('--------------------------371fbca02d1525c13f41f893', [
      `${disposition} name="input"\r\n\r\n${words}`,
      `${disposition} name="evidence-file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${pdf}`,
    ]),
    status: 200,
    document: 'a.pdf',
  },
  'email.mime, an attachment': {
    about: 'a dispute',
    line: evidence,
    headers: [
      'Accept-Encoding: identity',
      'User-Agent: Python-urllib/3.11',
      'Content-Type: multipart/mixed; boundary="===============4666634792681500481=="',
      'Connection: close',
    ],
    body: form('===============4666634792681500481==', [
      `Content-Type: application/json\r\nMIME-Version: 1.0\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(words).toString('base64')}\r\n`,
      `Content-Type: application/pdf; name="a.pdf"\r\nMIME-Version: 1.0\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(pdf).toString('base64')}\r\n`,
    ]).replaceAll('\r\n', '\n'),
    status: 200,
    document: 'a.pdf',
  },
  'HttpClient of C#, a form': {
    about: 'a dispute',
    line: evidence,
    headers: ['Content-Type: multipart/form-data; boundary="d923dc63-b4e8-404e-a43f-5dec601be6b3"'],
    body: form('d923dc63-b4e8-404e-a43f-5dec601be6b3', [
      `Content-Type: application/json; charset=utf-8\r\n${disposition} name=input\r\n\r\n${words}`,
      `Content-Type: application/pdf\r\n${disposition} name=evidence-file; filename="a b.pdf"; filename*=utf-8''a%20b.pdf\r\n\r\n${pdf}`,
    ]),
    status: 200,
    document: 'a b.pdf',
  },
  'Go, a form from a pipe': {
    about: 'a dispute',
    line: evidence,
    headers: [
      'User-Agent: Go-http-client/1.1',
      'Transfer-Encoding: chunked',
      'Content-Type: multipart/form-data; boundary=77a6a38bea33bd806d02abd0819a51d3e96d96a19e2c6d24021e3a321ff8',
      'Accept-Encoding: gzip',
    ],
    body: inChunks(
      form('77a6a38bea33bd806d02abd0819a51d3e96d96a19e2c6d24021e3a321ff8', [
        `${disposition} name="input"\r\n\r\n${words}`,
        `${disposition} name="evidence-file"; filename="a.pdf"\r\nContent-Type: application/octet-stream\r\n\r\n${pdf}`,
      ]),
    ),
    status: 200,
    document: 'a.pdf',
  },
  'HttpURLConnection, a change': {
    about: 'a dispute',
    line: 'POST /v1/customer/disputes/ID HTTP/1.1',
    headers: [
      'X-HTTP-Method-Override: PATCH',
      'Content-Type: application/json',
      'User-Agent: Java/17.0.20.1',
      'Accept: text/html, image/gif, image/jpeg, */*; q=0.2',
      'Connection: keep-alive',
    ],
    body: '[{"op":"add","path":"/communication_details","value":{"note":"hi"}}]',
    status: 204,
  },
  'HttpURLConnection before 2016, a list': {
    about: 'nothing',
    line: 'GET /v2/invoicing/invoices HTTP/1.1',
    headers: [
      'User-Agent: Java/1.8.0_66',
      'Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
      'Connection: keep-alive',
    ],
    status: 200,
  },
  'axios, a query': {
    about: 'nothing',
    line: 'GET /v1/customer/disputes?dispute_state%5B%5D=REQUIRED_ACTION&dispute_state%5B%5D=RESOLVED HTTP/1.1',
    headers: [
      'Accept: application/json, text/plain, */*',
      'User-Agent: axios/1.21.1',
      'Accept-Encoding: gzip, compress, deflate, br',
      'Connection: keep-alive',
    ],
    status: 200,
  },
  'PHP, a query': {
    about: 'nothing',
    line: 'GET /v1/customer/disputes?dispute_state%5B0%5D=REQUIRED_ACTION&dispute_state%5B1%5D=RESOLVED HTTP/1.1',
    headers: ['Connection: close'],
    status: 200,
  },
  'PHP, nothing': {
    about: 'an invoice',
    line: 'POST /v2/invoicing/invoices/ID/send HTTP/1.1',
    headers: ['Connection: close', 'Content-Type: application/json'],
    body: '[]',
    status: 200,
  },
}

describe('A request as it was recorded', () => {
  it.each(Object.entries(recordings))('%s', async (_name, { about, line, headers, body = '', status, document }) => {
    const id =
      about === 'a dispute'
        ? await open(world.buyer, { reason: 'INCORRECT_AMOUNT' })
        : about === 'an invoice'
          ? (await shopOf(world).drafts()).id
          : ''
    const isMeasured = body !== '' && !headers.some((header) => header.startsWith('Transfer-Encoding'))
    const length = isMeasured ? [`Content-Length: ${Buffer.byteLength(body)}`] : []
    const token = `Authorization: Bearer ${await world.tokenFor('sandbox-merchant')}`
    const head = [line.replace('ID', id), `Host: 127.0.0.1:${port}`, token, ...headers, ...length].join('\r\n')

    const answer = await sendRaw(port, `${head}\r\n\r\n${body}`)

    expect(answer.status, answer.text).toBe(status)
    if (document === undefined) return
    const kept = (await sees(world.merchant, id)).evidences?.at(-1)
    expect(kept).toMatchObject({ notes: 'n', documents: [{ name: document }] })
  })
})
