import type { FastifyRequest } from 'fastify'
import { type Constraints, sqlProblem } from '../database/errors.ts'
import type { Reader, Transact, TransactFor, Tx } from '../database/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { SealedBox } from '../kernel/sealed-box.ts'
import type { Service } from '../room.ts'
import { findReplay, type KeyedRequest, keepAnswer } from './idempotency.ts'
import { renderProblem } from './problem-body.ts'
import type { Rendered } from './render.ts'
import type { AnyRoute } from './route.ts'

/** The work of one request, within a unit of work. */
export type Work = (tx: Tx) => Promise<Rendered>

interface OnceParts {
  readonly service: Service
  readonly db: Reader
  readonly transactFor: TransactFor
  readonly clock: Clock
  readonly constraints: Constraints
}

/**
 * Carries work out under a request id, and keeps its answer with the effect. Most requests come only once, so the work goes
 * first. If an answer is known already, keeping this one fails; then, as after any other failure, the first answer is looked
 * for.
 */
export function makeOnce(route: AnyRoute, parts: OnceParts, answers: SealedBox) {
  const { service, db, transactFor, clock } = parts

  return async function once(
    request: FastifyRequest,
    keyed: KeyedRequest,
    work: Work,
    { transact, locks }: { transact: Transact; locks: boolean },
  ): Promise<Rendered> {
    let tries = 0
    const keeping = (transact: Transact, answerOf: Work) =>
      transact(
        async (tx) => {
          const replay = tries++ > 0 ? await findReplay(tx, answers, keyed, tx.now) : undefined
          if (replay) return replay
          const answer = await answerOf(tx)
          await keepAnswer(tx, answers, keyed, answer)
          return answer
        },
        { locks },
      )
    try {
      return await keeping(transact, work)
    } catch (error) {
      const replay = await findReplay(db, answers, keyed, clock.now())
      if (replay) return replay
      // A refusal with 422, by our rules or those of the database, is an answer and is kept. A refusal by the schema is not:
      // the same id may come again with a corrected body.
      const problem = error instanceof Problem ? error : sqlProblem(error, parts.constraints)
      if (problem?.status !== 422) throw error
      request.problem = problem
      const refusal = renderProblem(problem, { route, debugId: request.id, publicUrl: service.publicUrl })
      // Nothing was done for the caller, so the audit log names the service instead.
      return keeping(transactFor({ kind: 'service', task: 'keep a refusal' }), async () => refusal)
    }
  }
}
