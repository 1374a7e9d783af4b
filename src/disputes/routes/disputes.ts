import type { Reader } from '../../database/transaction.ts'
import { Answer, type AnyRoute, RawJson, route } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { actorOf, findForCaller, foundFor, readScopes, viewerOf } from '../access.ts'
import { act } from '../act.ts'
import { attachmentHeaders, findDisputeOfFile, findFile, refuseTooMany } from '../documents.ts'
import { seesDocument } from '../entries.ts'
import { CreateBody, createDispute } from '../filing/create.ts'
import type { House } from '../house.ts'
import { actionLinks } from '../links.ts'
import { listFor } from '../lists/list.ts'
import { ListQuery } from '../lists/query.ts'
import { disputeActions, publicActions } from '../machine/actions/index.ts'
import { PatchBody } from '../machine/actions/patch.ts'
import { limits } from '../machine/limits.ts'
import { presentDispute } from '../present.ts'
import { Dispute, DisputeId, DisputeList, LinksOnly } from '../schema/shown.ts'
import { recallDispute } from '../store.ts'
import { actionRoute, requireActor } from './actions.ts'
import { tag, withFiles } from './parts.ts'
import { accepted, receiptScopes, showRequest, wantsAsync } from './receipts.ts'
import { pullTrigger } from './triggers.ts'

const base = '/v1/customer/disputes'
const showScopes = [...readScopes, 'operator']

/** List, show, change and open disputes, and one operation for every action of the table. */
export function disputeRoutes(house: House): AnyRoute[] {
  const { service } = house

  const list = route({
    method: 'GET',
    url: base,
    operation: 'listDisputes',
    summary: 'List disputes',
    tag,
    scopes: readScopes,
    query: ListQuery,
    success: { 200: DisputeList },
    reads: true,
    fromReplica: true,
    trigger: ({ query }) => pullTrigger('list', (query as ListQuery).disputed_transaction_id),
    handle: ({ db, caller, query, now }) => listFor(db, caller, query, now, service),
  })

  const create = route({
    method: 'POST',
    url: base,
    operation: 'createDispute',
    summary: 'Open a dispute on a payment',
    tag,
    scopes: ['disputes/create'],
    body: CreateBody,
    ...withFiles,
    success: { 201: LinksOnly, 202: LinksOnly },
    async handle({ tx, caller, body, files, headers }) {
      refuseTooMany(files, limits.filesPerRequest)
      const dispute = await createDispute(tx, house, caller, { body, files })
      if (wantsAsync(headers)) return accepted(tx, caller, service.publicUrl, dispute)
      return new Answer(201, { links: actionLinks(service.publicUrl, dispute.dispute_id).links.slice(0, 1) })
    },
  })

  const show = route({
    method: 'GET',
    url: `${base}/:id`,
    operation: 'showDispute',
    summary: 'Show a dispute',
    tag,
    scopes: showScopes,
    params: DisputeId,
    success: { 200: Dispute },
    reads: true,
    trigger: ({ params }) => pullTrigger('show', params['id']),
    async handle({ db, caller, params }) {
      const found = await foundFor(db, caller, await recallDispute(service, db, params.id), showScopes)
      const viewer = viewerOf(found)
      const as = `${service.publicUrl} ${viewer.view} ${viewer.side} ${viewer.roles}`
      const text = found.texts.get(as) ?? JSON.stringify(presentDispute(found.dispute, viewer, service))
      found.texts.set(as, text)
      return new RawJson(text)
    },
  })

  const patch = route({
    method: 'PATCH',
    url: `${base}/:id`,
    operation: 'updateDispute',
    summary: 'Change parts of a dispute',
    tag,
    scopes: disputeActions.patch.scopes,
    params: DisputeId,
    body: PatchBody,
    ...withFiles,
    success: { 204: null, 202: LinksOnly },
    precheck: (db, caller, { id }) => requireActor(db, caller, id, disputeActions.patch),
    async handle({ tx, caller, params, body, files, headers }) {
      const found = await findForCaller(tx, caller, params.id, disputeActions.patch.scopes)
      refuseTooMany(files, 0)
      await act(tx, house, found, actorOf(found), { action: 'patch', input: body })
      return wantsAsync(headers) ? accepted(tx, caller, service.publicUrl, found.dispute) : new Answer(204)
    },
  })

  const download = route({
    method: 'GET',
    url: '/v2/content/documents/:document_id/files/:n/download',
    operation: 'downloadDisputeDocument',
    summary: 'Download a document of a dispute',
    tag,
    scopes: showScopes,
    params: Type.Object({
      document_id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Z0-9]+$' }),
      n: Type.String({ maxLength: 3, pattern: '^[1-9][0-9]*$' }),
    }),
    produces: [
      'image/png',
      'image/jpeg',
      'image/gif',
      'application/pdf',
      'application/octet-stream',
      'application/json',
    ],
    success: { 200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) },
    reads: true,
    async handle({ db, caller, params: { document_id, n } }) {
      const id = { document_id, n: Number(n) }
      const dispute = await disputeWith(db, caller, id)
      const file = dispute && (await findFile(db, dispute, id.document_id, id.n))
      if (!file) throw notFound('The document')
      return new Answer(200, file.bytes, attachmentHeaders(file))
    },
  })

  const request = route({
    method: 'GET',
    url: '/v1/apis/requests/:id',
    operation: 'showRequest',
    summary: 'Show how an accepted request went',
    tag,
    scopes: receiptScopes,
    params: DisputeId,
    success: {
      200: Type.Object(
        { id: Type.String(), status: Type.Enum(['PENDING', 'COMPLETED', 'FAILED']) },
        { additionalProperties: true },
      ),
    },
    reads: true,
    handle: ({ db, caller, params }) => showRequest(db, caller, params.id, service.publicUrl),
  })

  return [
    list,
    create,
    show,
    patch,
    ...publicActions.map((name) => actionRoute(house, name)),
    actionRoute(house, 'change-reason', { path: 'changeReason', operation: 'changeDisputeReasonOldName' }),
    download,
    request,
  ]
}

/** The dispute in which this caller sees this document. Undefined if there is none for them. */
async function disputeWith(db: Reader, caller: Caller, id: { document_id: string; n: number }) {
  const disputeId = await findDisputeOfFile(db, id.document_id, id.n)
  if (disputeId === undefined) return undefined
  try {
    const found = await findForCaller(db, caller, disputeId, showScopes)
    return seesDocument(found.dispute, viewerOf(found).view, id) ? found.dispute : undefined
  } catch (error) {
    // Somebody who may not see the dispute is not told that it exists.
    if (error instanceof Problem) return undefined
    throw error
  }
}
