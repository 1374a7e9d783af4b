import type { ServerResponse } from 'node:http'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openOutbound } from '../../../src/outbound/http.ts'
import { LOGOS_PER_ACCOUNT } from '../../../src/payer/logo/store.ts'
import { newLiveWorld } from '../../support/live.ts'
import { blueLogo, chunk, header, jpegLogo, SIGNATURE, startLogoServer } from '../../support/logo.ts'
import { invoiceBody, PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { INVOICES } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
let shop: Awaited<ReturnType<typeof startLogoServer>>
beforeAll(async () => {
  shop = await startLogoServer()
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(async () => {
  await world.close()
  await shop.close()
})

const withLogo = (logo_url: string) => ({ invoicer: { business_name: 'Example Studio', logo_url } })

/** An invoice that was sent, with all that follows done. */
async function sentWithLogo(url: string) {
  const sent = await sentInvoice(world, withLogo(url))
  await world.settle()
  return sent
}

const pageOf = async (path: string) => {
  const { status, text, headers } = await world.call('GET', path, undefined, { headers: { accept: 'text/html' } })
  const image = /<img src="([^"]+)" width="(\d+)" height="(\d+)" alt="([^"]*)">/.exec(text)?.slice(1)
  return { status, text, headers, image }
}
const pdfOf = async (path: string) => {
  const { statusCode, rawPayload } = await world.app.server.inject({ url: `${path}/pdf` })
  return { statusCode, text: rawPayload.toString('latin1') }
}
const fetched = (path: string) => shop.asked.filter(({ url }) => url === path).length

describe('The logo of a merchant', () => {
  it('is on the page and in the PDF, from a copy that we serve ourselves', async () => {
    shop.answers('/blue.png', blueLogo)
    const { id, path } = await sentWithLogo(shop.url('/blue.png'))

    const { text, headers, image } = await pageOf(path)
    const picture = await world.app.server.inject({ url: image![0]! })
    const pdf = await pdfOf(path)

    expect(image).toEqual([expect.stringMatching(`^${path}/logo\\?v=[0-9a-f]{16}$`), '60', '40', 'Example Studio'])
    expect(text).not.toContain('127.0.0.1')
    expect(headers['content-security-policy']).toContain("img-src 'self' data:;")
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/png'])
    expect(picture.headers['cache-control']).toBe('private, max-age=31536000, immutable')
    expect(picture.headers['x-content-type-options']).toBe('nosniff')
    expect(picture.headers['content-security-policy']).toContain('sandbox')
    expect(picture.rawPayload.subarray(0, 8).equals(SIGNATURE)).toBe(true)
    expect(picture.rawPayload.includes('made by somebody')).toBe(false)
    expect(pdf.text).toMatch(/\/Subtype \/Image/)
    expect((await pageOf(`/invoice/details/${id}`)).image).toEqual(image)
  })

  it('may be a JPEG', async () => {
    shop.answers('/blue.jpg', jpegLogo, 'image/jpeg')
    const { path } = await sentWithLogo(shop.url('/blue.jpg'))

    const { image } = await pageOf(path)

    expect(image!.slice(1, 3)).toEqual(['16', '8'])
    expect((await world.app.server.inject({ url: image![0]! })).headers['content-type']).toBe('image/jpeg')
    expect((await pdfOf(path)).text).toMatch(/\/Filter \/DCTDecode/)
  })

  it('that is a JPEG is the picture alone, whatever its program added behind the first scan or the end', async () => {
    const words = 'made by somebody'
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, words.length + 2]), Buffer.from(words)])
    const end = jpegLogo.subarray(-2)
    const between = Buffer.concat([jpegLogo.subarray(0, -2), comment, end])
    // As telephones keep a second picture, with all that is said of it.
    const behind = Buffer.concat([jpegLogo, jpegLogo.subarray(0, 2), comment, jpegLogo.subarray(2)])
    for (const [name, file] of Object.entries({ between, behind })) {
      shop.answers(`/${name}.jpg`, file, 'image/jpeg')
      const { path } = await sentWithLogo(shop.url(`/${name}.jpg`))
      const picture = await world.app.server.inject({ url: (await pageOf(path)).image![0]! })

      expect(picture.rawPayload.equals(jpegLogo), name).toBe(true)
    }
  })

  it('is fetched by a job and once for all invoices, and its server learns nothing about the payer', async () => {
    shop.answers('/once.png', blueLogo)
    const { path } = await sentInvoice(world, withLogo(shop.url('/once.png')))
    const early = await pageOf(path)
    expect([early.status, early.image, fetched('/once.png')]).toEqual([200, undefined, 0])

    await world.settle()
    const second = await sentWithLogo(shop.url('/once.png'))

    expect((await pageOf(path)).image).toBeDefined()
    expect((await pageOf(second.path)).image).toBeDefined()
    expect(fetched('/once.png')).toBe(1)
    const { headers } = shop.asked.find(({ url }) => url === '/once.png')!
    expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host'])
  })

  it('of an invoice that was changed is the new one', async () => {
    shop.answers('/old.png', blueLogo)
    shop.answers('/new.jpg', jpegLogo)
    const { id, path } = await sentWithLogo(shop.url('/old.png'))

    await world.merchant.put(`${INVOICES}/${id}`, invoiceBody(withLogo(shop.url('/new.jpg'))))
    await world.settle()

    expect((await pageOf(path)).image!.slice(1, 3)).toEqual(['16', '8'])
  })

  it('is looked for again after a day, under a new address when it changed, and kept when its server is gone', async () => {
    shop.answers('/daily.png', blueLogo)
    const { path } = await sentWithLogo(shop.url('/daily.png'))
    const before = (await pageOf(path)).image!

    shop.answers('/daily.png', jpegLogo)
    await world.pass('PT23H')
    await pageOf(path)
    await world.settle()
    expect((await pageOf(path)).image).toEqual(before)
    await world.pass('PT2H')
    expect((await pageOf(path)).image).toEqual(before)
    await world.settle()
    const after = (await pageOf(path)).image!
    expect([after[1], after[0] === before[0]]).toEqual(['16', false])

    shop.answers('/daily.png', (response) => response.writeHead(500).end())
    await world.pass('P2D')
    await pageOf(path)
    await world.settle()
    expect((await pageOf(path)).image).toEqual(after)
    expect(fetched('/daily.png')).toBe(3)
  })

  it('appears by itself when its server was away for a while', async () => {
    const { path } = await sentWithLogo(shop.url('/late.png'))
    expect((await pageOf(path)).image).toBeUndefined()
    await world.settle()
    expect(fetched('/late.png')).toBe(1)

    shop.answers('/late.png', blueLogo)
    await world.pass('PT11M')
    await pageOf(path)
    await world.settle()

    expect((await pageOf(path)).image).toBeDefined()
  })

  it('is fetched also after one that came late because this process was busy', async () => {
    shop.answers('/busy.png', (response) => {
      const until = performance.now() + 1_100
      while (performance.now() < until);
      response.end(blueLogo)
    })
    shop.answers('/next.png', blueLogo)
    await sentWithLogo(shop.url('/busy.png'))

    const { path } = await sentWithLogo(shop.url('/next.png'))

    expect((await pageOf(path)).image).toBeDefined()
  })

  it('is kept for its own account only, and of each account only so many', async () => {
    const url = shop.url('/shared.png')
    shop.answers('/shared.png', blueLogo)
    const rows = async (account: string) =>
      (await world.app.database.query('select 1 from logos where account_id = $1', [account])).rows.length
    await sentWithLogo(url)
    expect(await rows(world.people.otherMerchant.id)).toBe(0)

    const other = world.otherMerchant
    for (let n = 0; n < LOGOS_PER_ACCOUNT + 3; n++) {
      const logo = n === 0 ? url : shop.url(`/${n}.png`)
      const { body } = await other.post<{ id: string }>(INVOICES, invoiceBody(withLogo(logo)))
      await other.post(`${INVOICES}/${body.id}/send`, { send_to_recipient: false })
    }
    await world.settle()

    expect(fetched('/shared.png')).toBe(2)
    expect(await rows(world.people.otherMerchant.id)).toBe(LOGOS_PER_ACCOUNT)
  })
})

describe('An invoice whose logo cannot be had', () => {
  const plain = { width: 10, height: 10, kind: 0, depth: 8 } as const
  const bomb = Buffer.concat([
    SIGNATURE,
    header(plain),
    chunk('IDAT', deflateSync(Buffer.alloc(10_000_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
  beforeAll(() => {
    shop.answers('/good.png', blueLogo)
    shop.answers('/huge.png', Buffer.concat([blueLogo, Buffer.alloc(2 * 1024 * 1024)]))
    shop.answers('/endless.png', (response) => {
      response.writeHead(200, { 'content-type': 'image/png' })
      response.write(blueLogo)
      const block = Buffer.alloc(64 * 1024)
      const pour = () => {
        while (!response.destroyed && response.write(block));
      }
      response.on('drain', pour)
      pour()
    })
    shop.answers('/page.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
    shop.answers('/moved.png', (response) => response.writeHead(302, { location: '/good.png' }).end())
    shop.answers('/broken.png', (response) => {
      response.writeHead(200, { 'content-length': '5000' })
      response.write(blueLogo.subarray(0, 50), () => response.destroy())
    })
    shop.answers('/packed.png', (response) => response.writeHead(200, { 'content-encoding': 'br' }).end('packed'))
    shop.answers('/bomb.png', bomb)
  })

  it.each([
    ['/huge.png'],
    ['/endless.png'],
    ['/page.png'],
    ['/moved.png'],
    ['/broken.png'],
    ['/packed.png'],
    ['/bomb.png'],
    ['/missing.png'],
    ['http://169.254.169.254/latest/logo.png'],
    ['http://127.0.0.1:5432/logo.png'],
    ['http://user:word@127.0.0.1/logo.png'],
    ['file:///etc/passwd'],
    ['javascript:alert(1)'],
    ['logo.png'],
    [`http://127.0.0.1/${'x'.repeat(3000)}`],
  ])('shows the name in its place: %s', async (address) => {
    const { path } = await sentWithLogo(address.startsWith('/') ? shop.url(address) : address)

    const { status, text, image } = await pageOf(path)

    expect([status, image]).toEqual([200, undefined])
    expect(text).toContain('<p class="seller">Example Studio</p>')
    expect((await world.call('GET', `${path}/logo`)).status).toBe(404)
    const { rows } = await world.app.database.query('select name, last_error from jobs')
    expect(rows).toEqual([])
    expect(fetched('/good.png')).toBe(0)
  })

  it('is not waited for: a file that drips is given up', async () => {
    shop.answers('/drip.png', (response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('.'), 5)
      response.on('close', () => clearInterval(drip))
    })
    const outbound = openOutbound({ allowHttp: true, allowPrivate: true, totalTimeoutMs: 50 })

    const drip = outbound.download({ url: shop.url('/drip.png'), headers: {}, bytesMax: 1_000_000 })

    await expect(drip).rejects.toThrow('There was no answer within 0.1 seconds.')
    await outbound.close()
  })

  it('keeps nobody else waiting: two of a merchant are waited for at a time, and a slow one is left alone', async () => {
    const busy = await newWorld({ settings: { PUBLIC_URL }, works: true })
    const slow = await startLogoServer()
    const waiting = new Set<ServerResponse>()
    for (let n = 0; n < 8; n++) slow.answers(`/${n}.png`, (response) => waiting.add(response))
    for (const path of ['/first.png', '/second.png']) shop.answers(path, blueLogo)
    const send = async (person: World['merchant'], logo: string) => {
      const { body } = await person.post<{ id: string }>(INVOICES, invoiceBody(withLogo(logo)))
      await person.post(`${INVOICES}/${body.id}/send`, { send_to_recipient: false })
    }
    const rows = async () => (await busy.app.database.query('select 1 from logos')).rows.length
    const soon = { interval: 5 }

    for (let n = 0; n < 8; n++) await send(busy.merchant, slow.url(`/${n}.png`))
    await send(busy.otherMerchant, shop.url('/first.png'))
    await expect.poll(() => fetched('/first.png'), soon).toBe(1)
    await expect.poll(() => waiting.size, soon).toBe(2)

    let moments = 0
    const passing = setInterval(() => moments++, 100)
    await expect.poll(() => moments, soon).toBe(11)
    clearInterval(passing)
    for (const response of waiting) response.end(blueLogo)
    await expect.poll(rows, soon).toBe(3)
    await send(busy.merchant, slow.url('/more.png'))
    await send(busy.otherMerchant, shop.url('/second.png'))
    await expect.poll(() => fetched('/second.png'), soon).toBe(1)
    expect(slow.asked).toHaveLength(2)

    await slow.close()
    await busy.close()
  })

  it('is printed without it', async () => {
    const { path } = await sentWithLogo(shop.url('/page.png'))

    const { statusCode, text } = await pdfOf(path)

    expect([statusCode, text.includes('/Subtype /Image')]).toEqual([200, false])
  })

  it('in live never makes us call a private network, or anybody without encryption', async () => {
    const live = await newLiveWorld({ PUBLIC_URL, SHUTDOWN_GRACE_SECONDS: '0' })
    const seller = await live.personWithApp(live.people.merchant.id, ['invoicing'])
    const before = shop.asked.length
    for (const url of [
      shop.url('/good.png'),
      `https://127.0.0.1:${shop.port}/good.png`,
      `https://localhost:${shop.port}/`,
    ]) {
      const { body } = await seller.post<{ id: string }>(INVOICES, invoiceBody(withLogo(url)))
      await seller.post(`${INVOICES}/${body.id}/send`, {})
    }

    await live.settle()

    const { rows } = await live.app.database.query('select content_type from logos')
    expect(rows).toEqual([{ content_type: null }, { content_type: null }, { content_type: null }])
    expect(shop.asked).toHaveLength(before)
    await live.close()
  })
})
