import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Recorder } from '../../../src/sandbox/watch/recorder.ts'
import { newWorld, type World } from '../../support/world.ts'

const MEBIBYTE = 1_048_576

describe('A sandbox that is never given a pause', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it('remembers all requests, and the bodies of the newest', async () => {
    const recorder = new Recorder({
      database: world.app.database,
      clock: { now: () => world.now() },
      onTold() {},
      onError(error) {
        throw error
      },
    })
    const reply = { statusCode: 200, elapsedTime: 1, getHeaders: () => ({ 'content-type': 'text/plain' }) }
    for (let i = 0; i < 40; i++) {
      const request = { id: `flood${String(i).padStart(8, '0')}`, method: 'GET', url: `/flood/${i}`, headers: {} }
      const answered = 'x'.repeat(MEBIBYTE)
      recorder.answered({ ...request, answered } as unknown as FastifyRequest, reply as unknown as FastifyReply)
    }
    await recorder.close()

    const { rows } = await world.app.database.query(
      `select answer_body is not null as kept, (details->'answer'->>'bytes')::int as bytes
       from request_log where path like '/flood/%' order by number`,
    )
    const kept = (rows as { kept: boolean; bytes: number }[]).map((row) => row.kept)
    expect(rows.map(({ bytes }) => bytes)).toEqual(Array(40).fill(MEBIBYTE))
    expect(kept.at(0)).toBe(false)
    expect(kept.at(-1)).toBe(true)
    expect(kept.filter(Boolean).length).toBeGreaterThanOrEqual(8)
    expect(kept.filter(Boolean).length).toBeLessThanOrEqual(16)
  })
})
