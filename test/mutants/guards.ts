/** A guard, how it is taken away, and the tests that must notice. */
export interface Guard {
  readonly guards: string
  readonly file: string
  /** Found exactly once in the file. */
  readonly text: string
  readonly replacement: string
  readonly tests: readonly string[]
  /** Only the tests with such titles, where a file has many. */
  readonly titled?: string
}

const versioned = 'where account_id = $1 and id = $2 and version = $3`'
const unversioned = 'where account_id = $1 and id = $2 and $3::bigint is not null`'

const disputes = 'test/scenarios/disputes'
const backups = 'test/scenarios/command-line/backup.test.ts'
const egress = 'test/faults/webhooks/egress.test.ts'
const partitions = 'test/stored/partitions.test.ts'

// biome-ignore format: a table reads best as a table
export const guards: readonly Guard[] = [
  // Money
  { guards: 'a payment changes only as it was read', file: 'src/ledger/store.ts', text: 't.id = p.id and t.version = p.version`', replacement: 't.id = p.id`', tests: ['test/faults/payer/refund-race.test.ts'] },
  { guards: 'a refund is covered by balance and hold', file: 'src/ledger/refund.ts', text: 'covered: !forced', replacement: 'covered: false', tests: ['test/faults/payer/refund-race.test.ts'] },
  { guards: 'no more is refunded than is left', file: 'src/ledger/refund.ts', text: 'if (taken > left)', replacement: 'if (taken > left && taken < 0n)', tests: ['test/scenarios/ledger/refunds.test.ts'] },
  { guards: 'a disputed payment is refunded whole or not', file: 'src/ledger/routes.ts', text: 'if (toMinor(amount) < leftOf(transaction))', replacement: 'if (toMinor(amount) < 0n)', tests: [`${disputes}/money.test.ts`] },
  { guards: 'a payment is refunded in so many parts', file: 'src/ledger/routes.ts', text: '            await refuseTooManyParts(tx, found.transaction, body.amount)\n', replacement: '', tests: ['test/scenarios/ledger/refunds.test.ts'], titled: 'a hundred parts' },
  { guards: 'ledger transactions balance', file: 'migrations/0002_ledger.sql', text: 'having sum(amount) <> 0', replacement: 'having sum(amount) <> sum(amount)', tests: ['test/faults/payer/refund-race.test.ts', 'test/scenarios/ledger/books.test.ts'] },
  { guards: 'a reversal is turned only once', file: 'src/ledger/reversal.ts', text: "if (reversal.kind !== 'reversal' || reversal.status === status)", replacement: "if (reversal.kind !== 'reversal')", tests: ['test/scenarios/ledger/books.test.ts'] },
  { guards: 'what the service bears is not refunded again', file: 'src/ledger/movements.ts', text: ' && leftOf(transaction) > 0n', replacement: '', tests: [`${disputes}/money.test.ts`] },
  { guards: 'the invoice follows a cancelled reversal', file: 'src/invoices/jobs.ts', text: "if (made?.status === 'CANCELLED') await cancelServiceRefund(service, tx, target, refund)", replacement: "if (made?.status === 'PENDING' as string) await cancelServiceRefund(service, tx, target, refund)", tests: [`${disputes}/money.test.ts`] },
  { guards: 'a number that we choose is taken once', file: 'src/invoices/store.ts', text: 'if (number.isOurs) tx.guard(insertNumberedStatement', replacement: 'if (number.isOurs) tx.write(insertNumberedStatement', tests: ['test/faults/invoices/numbers.test.ts'] },
  { guards: 'a number follows that of the newest invoice', file: 'src/invoices/store.ts', text: '($17::text is null or $17 = (', replacement: '($17::text is null or $17 <> (', tests: ['test/faults/invoices/remembered.test.ts'] },
  { guards: 'what a process remembers of a merchant is checked', file: 'src/invoices/store.ts', text: 'and ${groundVersions} = $16`', replacement: 'and $16::text is not null`', tests: ['test/faults/invoices/remembered.test.ts'] },
  { guards: 'an invoice changes only as it was read', file: 'src/invoices/store.ts', text: 'set body = $4, version = version + 1 where account_id = $1 and id = $2 and version = $3`', replacement: 'set body = $4, version = version + 1 where account_id = $1 and id = $2 and $3::bigint is not null`', tests: ['test/faults/invoices/race.test.ts'] },
  { guards: 'a template names no other invoicer either', file: 'src/invoices/create.ts', text: 'requireOwnEmail(account, filled)', replacement: 'requireOwnEmail(account, input)', tests: ['test/scenarios/invoices/create.test.ts'], titled: 'strict about it' },

  // Disputes
  { guards: 'a dispute changes only as it was read', file: 'src/disputes/store.ts', text: versioned, replacement: unversioned, tests: ['test/faults/disputes/message-race.test.ts'] },
  { guards: 'a deadline whose job ran early is not lost', file: 'src/disputes/jobs.ts', text: 'return keepTimer(tx, undefined, found.dispute)', replacement: 'return', tests: ['test/faults/disputes/early-deadline.test.ts'] },
  { guards: 'disputes follow refunds beside them', file: 'src/ledger/routes.ts', text: 'await follow(tx, [change])', replacement: '', tests: [`${disputes}/money.test.ts`] },
  { guards: 'disputes follow what another dispute moves', file: 'src/disputes/act.ts', text: 'await followPayments(tx, house, moved, found.dispute.dispute_id)', replacement: '', tests: [`${disputes}/money.test.ts`] },
  { guards: 'what a bank charged back is not disputed beside it', file: 'src/disputes/store.ts', text: 't.transaction_id = asked.transaction_id and not t.withdrawn)`', replacement: "t.transaction_id = asked.transaction_id and not t.withdrawn and t.channel = 'INTERNAL')`", tests: [`${disputes}/parts.test.ts`], titled: 'a bank charged back' },
  { guards: 'a chargeback and a dispute that are opened at once see each other', file: 'src/disputes/routes/chargebacks.ts', text: '  else pinPayment(tx, found)\n', replacement: '', tests: ['test/faults/disputes/chargeback-race.test.ts'] },
  { guards: 'a won appeal gives the money back', file: 'src/disputes/machine/judgement.ts', text: "return onAppeal ? [turnReversals('CANCELLED', context)] : [release(context)]", replacement: 'return onAppeal ? [] : [release(context)]', tests: [`${disputes}/money.test.ts`] },
  { guards: 'the seller bears it again after the last appeal', file: 'src/disputes/machine/settlement.ts', text: "inTurn(dispute, turnReversals('COMPLETED', context), giveBack(amount, terms, context))", replacement: 'inTurn(dispute, giveBack(amount, terms, context))', tests: [`${disputes}/money.test.ts`] },
  { guards: 'the seller is not told of refunds he does not bear', file: 'src/disputes/present.ts', text: "side === 'buyer' || !cancelled", replacement: 'true', tests: [`${disputes}/money.test.ts`] },
  { guards: 'only what the table allows is done', file: 'src/disputes/act.ts', text: '    disputeLifecycle.require(dispute, roles, action)\n', replacement: '', tests: [`${disputes}/answers.test.ts`] },
  { guards: 'only agents decide in live', file: 'src/disputes/routes/actions.ts', text: "  if (!roles.includes('agent')) throw forbidden(", replacement: "  if (roles.length > 9) throw forbidden(", tests: [`${disputes}/compensation.test.ts`] },
  { guards: 'an agent pays return postage in live', file: 'src/disputes/machine/actions/return-compensation.ts', text: 'return rules.sandbox ? paid(', replacement: 'return true ? paid(', tests: [`${disputes}/compensation.test.ts`] },
  { guards: 'return postage is bounded by account', file: 'src/disputes/money.ts', text: '      await requireCompensations(tx, service.settings, dispute)\n', replacement: '', tests: [`${disputes}/compensation.test.ts`] },
  { guards: 'a claim is accepted in part as often as there is room', file: 'src/disputes/machine/actions/accept-claim.ts', text: ' && early && hasRoom', replacement: ' && early', tests: ['test/faults/disputes/offer-limit.test.ts'] },
  { guards: 'chargebacks are simulated in the sandbox only', file: 'src/http/server.ts', text: '        requireEnvironment(route, service)\n', replacement: '', tests: ['test/scenarios/environments.test.ts'] },
  { guards: 'a document is seen with the entry that has it', file: 'src/disputes/entries.ts', text: 'return documents.some((document) => document.document_id === document_id && document.n === n)', replacement: 'return documents.length >= 0 || document_id === String(n)', tests: [`${disputes}/documents.test.ts`] },
  { guards: 'a partner does what was consented to', file: 'src/accounts/consent.ts', text: 'return new Set([...scopes].filter((scope) => allowed.has(scope)))', replacement: 'return allowed.size < 0 ? new Set() : scopes', tests: ['test/scenarios/accounts/consent.test.ts'] },
  { guards: 'a suspended merchant consents to nothing', file: 'src/accounts/consent.ts', text: "where c.account_id = $1 and c.app_id = $2 and a.status = 'ACTIVE'`", replacement: 'where c.account_id = $1 and c.app_id = $2`', tests: ['test/scenarios/accounts/access.test.ts', 'test/scenarios/accounts/consent.test.ts'] },
  { guards: 'an action cannot write the state', file: 'src/disputes/machine/action.ts', text: '} & { [Facet in keyof DisputeNode]?: never }', replacement: '}', tests: ['test/house/types.test.ts'] },
  { guards: 'a merchant is mailed when it is their turn', file: 'src/disputes/news.ts', text: 'if (byParty && actor.side === side) return undefined', replacement: '', tests: ['test/scenarios/payer/dispute-mail.test.ts'] },
  { guards: 'a return label comes with one', file: 'src/disputes/machine/actions/accept-claim.ts', text: 'if (wanted && shipments.length === 0)', replacement: 'if (wanted && shipments.length < 0)', tests: ['test/scenarios/disputes/rules.test.ts'], titled: 'label' },
  { guards: 'a return label can be followed', file: 'src/disputes/machine/evidence.ts', text: "!carrier_name || !tracking_number || (carrier_name === 'OTHER' && !carrier_name_other),", replacement: "!carrier_name && !tracking_number && carrier_name_other === 'nobody',", tests: ['test/scenarios/disputes/rules.test.ts'], titled: 'label' },
  { guards: 'a document with a claim is one of a hundred', file: 'src/disputes/machine/actions/accept-claim.ts', text: "  refuseOverflow(dispute, 'seller', 1)\n", replacement: '', tests: ['test/scenarios/disputes/refusals.test.ts'], titled: 'leave no room' },
  { guards: 'nothing that nobody knows is kept of an action', file: 'src/disputes/act.ts', text: 'step(dispute, actor.roles, action, onlyKnown(body, input), {', replacement: 'step(dispute, actor.roles, action, input as ReturnType<typeof onlyKnown<typeof body>>, {', tests: ['test/scenarios/disputes/refusals.test.ts'], titled: 'is not kept' },
  { guards: 'nothing that nobody knows is kept of a new dispute', file: 'src/disputes/filing/create.ts', text: 'const body = onlyKnown(CreateBody, given)', replacement: 'const body = given', tests: ['test/scenarios/disputes/refusals.test.ts'], titled: 'is not kept' },
  { guards: 'no decision is kept before there is one', file: 'src/disputes/referred/kept.ts', text: 'const body = onlyKnown(ReferBody, told)', replacement: 'const body = told', tests: ['test/scenarios/disputes/by-name-only.test.ts'], titled: 'when it was told' },
  { guards: 'what gave money back is answered the same way for 45 days', file: 'src/disputes/routes/actions.ts', text: '...(refunding.has(name) && {', replacement: '...(refunding.size === 0 && {', tests: ['test/scenarios/accounts/idempotency.test.ts'], titled: 'forty-five' },
  { guards: 'the amount of a partner action is one', file: 'src/disputes/machine/actions/patch.ts', text: 'if (amount && !isSound(amount)) throw', replacement: 'if (amount && !isSound(amount) && known.length < 0) throw', tests: ['test/scenarios/disputes/by-name-only.test.ts'], titled: 'brings it up to date' },

  // What is kept of reads
  { guards: 'a client that is known shows its secret', file: 'src/accounts/authenticate-client.ts', text: 'let matching = client && matchingDigest(client.digests, secret, ring)', replacement: 'let matching = client?.digests[0]', tests: ['test/scenarios/accounts/tokens.test.ts'] },
  { guards: 'a client is believed for a second', file: 'src/accounts/authenticate.ts', text: 'return kept && kept.until > performance.now() ? kept.value : undefined', replacement: 'return kept?.value', tests: ['test/scenarios/accounts/tokens.test.ts'] },
  { guards: 'an invoice that was kept is the one that is stored', file: 'src/invoices/store.ts', text: 'case when stamp is distinct from $3 then', replacement: 'case when $3::text is null then', tests: ['test/faults/recall.test.ts'] },
  { guards: 'a dispute that was kept is the one that is stored', file: 'src/disputes/store.ts', text: 'case when stamp is distinct from $2 then', replacement: 'case when $2::text is null then', tests: ['test/faults/recall.test.ts'] },
  { guards: 'a dispute that was kept is shown as its viewer may see it', file: 'src/disputes/routes/disputes.ts', text: '${viewer.view} ${viewer.side} ${viewer.roles}', replacement: '', tests: ['test/faults/recall.test.ts'] },
  { guards: 'a list of disputes that was kept is the one that is stored', file: 'src/disputes/lists/statements.ts', text: 'case when ${raw(stampOfPage)} is distinct from ${known}', replacement: 'case when ${known}::text is null', tests: ['test/faults/recall.test.ts'] },
  { guards: 'a list of disputes that was kept is sent to whoever sees the same', file: 'src/disputes/lists/list.ts', text: '${[...sight.sellers.keys()]} ${sight.buyer}', replacement: '', tests: ['test/faults/recall.test.ts'] },
  { guards: 'a row that was written anew is another one', file: 'src/database/recall.ts', text: "${row}.xmin || '/' || ${row}.version", replacement: '${row}.version', tests: ['test/faults/recall.test.ts'] },
  { guards: 'a server that took over knows nothing of what was kept', file: 'src/database/recall.ts', text: "(select '/' || extract(epoch from pg_postmaster_start_time()))", replacement: "''", tests: ['test/faults/recall.test.ts'] },
  { guards: 'what is kept of searches for nothing has its room too', file: 'src/database/recall.ts', text: 'made.bytes + key.length * BYTES_A_LETTER + BYTES_OF_ONE', replacement: 'made.bytes', tests: ['test/faults/recall.test.ts'] },
  { guards: 'what is kept has its room', file: 'src/database/recall.ts', text: 'while (this.#bytes > this.#bytesMax)', replacement: 'while (this.#bytes < 0)', tests: ['test/faults/recall.test.ts'] },
  { guards: 'what is printed of an invoice is what it says', file: 'src/payer/print/printer.ts', text: "hash('sha256', JSON.stringify(invoice), 'base64')", replacement: 'invoice.id + invoice.status', tests: ['test/faults/second-process.test.ts'], titled: 'prints' },

  // Replicas
  { guards: 'a replica answers what it has replayed', file: 'src/database/replica.ts', text: ' && place.bytes >= wanted.bytes', replacement: '', tests: ['test/faults/replica.test.ts'] },
  { guards: 'a replica of before a failover answers nothing', file: 'src/database/replica.ts', text: 'place.timeline === wanted.timeline && ', replacement: '', tests: ['test/faults/replica.test.ts'] },
  { guards: 'a replica of another database is refused', file: 'src/database/replica.ts', text: "if (found.identity !== this.#identity && this.#away === 'not looked at yet')", replacement: "if (found.identity === '')", tests: ['test/faults/replica.test.ts'] },
  { guards: 'a replica that is gone keeps no read', file: 'src/database/replica.ts', text: "if (!found) return this.#turn('gone', reason)", replacement: 'if (!found) return', tests: ['test/faults/replica.test.ts'] },

  // Partitions
  { guards: 'an event has its day in its id', file: 'src/database/transaction.ts', text: "return kind === 'event' && this.#parts.isDated ? datedEventId(id, this.now) : id", replacement: "return kind === 'event' && this.#parts.attempt < 0 ? datedEventId(id, this.now) : id", tests: [partitions] },
  { guards: 'a partition that is missing is made', file: 'src/database/transaction.ts', text: ' && !(await partitions?.mend(error))', replacement: '', tests: [partitions] },
  { guards: 'only a day that is over is dropped', file: 'src/database/partitions.ts', text: 'start(period + 1) <= before', replacement: 'start(period) <= before', tests: [partitions] },
  { guards: 'a day of which something waits is not dropped', file: 'src/database/partitions.ts', text: '(await connection.rows(stillQueued, span)).length === 0', replacement: '(await connection.rows(stillQueued, span)).length >= 0', tests: [partitions] },
  { guards: 'a check that was left behind refuses nothing', file: 'src/database/partitions.ts', text: "if (!this.#known.has('audit_log')) await this.#database.rows(dropLeftOver)", replacement: '', tests: [partitions] },
  { guards: 'a day that has too few for a page is not all there is', file: 'src/webhooks/events/store.ts', text: 'if (found.length > page.size) return found', replacement: 'if (found.length >= 0) return found', tests: [partitions] },
  { guards: 'each round of a delivery has its own id', file: 'src/webhooks/delivery/delivery-id.ts', text: ', nullif(${round}, 0))`', replacement: ', nullif(0 * (${round}), 0))`', tests: [partitions] },

  // Moves
  { guards: 'writers of an account that left are refused', file: 'migrations/0051_partitions.sql', text: "    raise exception 'account % lives in another database', moving using errcode = 'QT002';\n", replacement: '    null;\n', tests: ['test/faults/move.test.ts'] },
  { guards: 'a move brings over what changed meanwhile', file: 'src/moves/move.ts', text: 'if (changed.length > 0) await target.follow(changed)', replacement: 'if (changed.length < 0) await target.follow(changed)', tests: ['test/faults/move.test.ts'] },
  { guards: 'nobody gets in at the source any more', file: 'src/moves/source.ts', text: 'opened as (delete from tokens where app_id in (', replacement: 'opened as (delete from tokens where app_id is null and app_id in (', tests: ['test/faults/move.test.ts'] },
  { guards: 'accounts that share something go together', file: 'src/moves/move.ts', text: '  if (ties.length > 0)\n', replacement: '  if (ties.length < 0)\n', tests: ['test/faults/move.test.ts'] },
  { guards: 'a move that makes writers wait too long is given up', file: 'src/moves/move.ts', text: '      return inTime()\n', replacement: '      return true\n', tests: ['test/faults/move.test.ts'] },
  { guards: 'a move goes on to where it was begun to', file: 'src/moves/move.ts', text: 'if (known.some((move) => move.target !== null && move.target !== identity))', replacement: 'if (known.some((move) => move.target !== null && move.target === null))', tests: ['test/faults/move.test.ts'] },
  { guards: 'a move that was decided ends only where its rows are', file: 'src/moves/move.ts', text: 'if (arrived.length < ids.length) throw', replacement: 'if (arrived.length < 0) throw', tests: ['test/faults/move.test.ts'] },
  { guards: 'an account does not come back before it has all left', file: 'src/moves/move.ts', text: 'if (leaving !== undefined)', replacement: "if (leaving === '')", tests: ['test/faults/move.test.ts'] },
  { guards: 'a move that was decided is not called off', file: 'src/moves/move.ts', text: "if (known.some(({ state }) => state === 'MOVED' || state === 'GONE'))", replacement: "if (known.some(({ state }) => state === 'MOVED'))", tests: ['test/faults/move.test.ts'] },

  // Cells
  { guards: 'a database is one cell', file: 'src/database/environment.ts', text: 'if (known === undefined || known === cell) return', replacement: "if (known !== '') return", tests: ['test/scenarios/cells/marks.test.ts'] },
  { guards: 'what is older than the cells is in the map', file: 'src/cells/map.ts', text: "then ${mark} else '${cells[0]}' end) <> '${own}'`", replacement: "then ${mark} else '${cells[0]}' end) = '${own}'`", tests: ['test/scenarios/cells/balancer.test.ts'] },
  { guards: 'the map knows more than the mark', file: 'src/cells/haproxy.ts', text: "    '  http-request set-var(txn.cell) var(txn.mark) if !{ var(txn.cell) -m found }',\n", replacement: "    '  http-request set-var(txn.cell) var(txn.mark)',\n", tests: ['test/scenarios/cells/balancer.test.ts'] },
  { guards: 'what lives in another cell is changed there', file: 'migrations/0050_directory.sql', text: "  if home is not null and current_setting('quittance.moves', true) is distinct from 'on' then\n", replacement: "  if home = '' then\n", tests: ['test/scenarios/cells/across.test.ts'] },
  { guards: 'what other cells tell is kept', file: 'migrations/0050_directory.sql', text: '    perform directory_take(new);\n', replacement: '    null;\n', tests: ['test/scenarios/cells/across.test.ts'] },

  // Access
  { guards: 'an operation asks for its scope', file: 'src/http/operation.ts', text: "  if (scopes === 'public' || scopes.length === 0 || scopes.some((scope) => caller.scopes.has(scope))) return\n", replacement: '  if (scopes !== undefined) return\n', tests: ['test/contract/routes.test.ts'], titled: 'GET /v1.*without its scope' },
  { guards: 'an old token is refused', file: 'src/accounts/authenticate.ts', text: 'if (holder.expire_time <= this.#realTime.now())', replacement: "if (holder.expire_time === '')", tests: ['test/scenarios/accounts/access.test.ts'] },
  { guards: 'a remembered token is believed until it expires', file: 'src/accounts/authenticate.ts', text: ' && known.holder.expire_time > this.#realTime.now()) return', replacement: ') return', tests: ['test/scenarios/accounts/access.test.ts'] },
  { guards: 'consent is needed to act for others in live', file: 'src/accounts/authenticate.ts', text: '{ needsConsent: !holder.sandbox }', replacement: '{ needsConsent: false }', tests: ['test/scenarios/accounts/access.test.ts'] },
  { guards: 'a request id belongs to one request', file: 'src/http/idempotency.ts', text: 'if (!stored.request_hash.equals(hash))', replacement: 'if (stored.request_hash.length === 0)', tests: ['test/scenarios/accounts/idempotency.test.ts'] },
  { guards: 'requests are limited by app', file: 'src/http/rate-limit.ts', text: 'if (bucket.tokens < 1)', replacement: 'if (bucket.tokens < -1e9)', tests: ['test/scenarios/accounts/limits.test.ts'] },
  { guards: 'no page of somebody else talks to a sandbox', file: 'src/http/visitors.ts', text: '    throw notThisOrigin(origin)\n', replacement: '    return void notThisOrigin(origin)\n', tests: ['test/scenarios/sandbox/visitors.test.ts'] },
  { guards: 'a sandbox has no name of a stranger', file: 'src/http/visitors.ts', text: 'if (name !== undefined && !isOurs(name)) throw notThisHost(name)', replacement: "if (name === '') throw notThisHost(name)", tests: ['test/scenarios/sandbox/visitors.test.ts'] },
  { guards: 'live has no addresses of the sandbox', file: 'src/routes.ts', text: "/^\\/(sandbox|console|$)/.test(url)", replacement: "/^\\/(console|$)/.test(url)", tests: ['test/scenarios/sandbox/clock.test.ts', 'test/scenarios/console/console.test.ts'] },
  { guards: 'a form of the console comes from its own pages', file: 'src/console/visit.ts', text: 'if (!isOwnOrigin(headers, service))', replacement: 'if (!isOwnOrigin({ ...headers, origin: service.publicUrl }, service))', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'forms of their own' },

  // Forms and signatures
  { guards: 'a form token is signed', file: 'src/payer/page/form-token.ts', text: 'if (!isSigned(ring, signature, (secret) => sign(secret, session, purpose, nonce, expires))) return undefined', replacement: '', tests: ['test/scenarios/payer/pay.test.ts'] },
  { guards: 'a form comes from a page of ours', file: 'src/payer/page/form-token.ts', text: "if (site !== undefined && site !== 'same-origin') return false", replacement: '', tests: ['test/scenarios/payer/pay.test.ts'] },
  { guards: 'a gateway callback is signed', file: 'src/payer/pay/gateway-signature.ts', text: "return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(mac(secret, Number(seconds), text), 'hex'))", replacement: "return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(given, 'hex')) && mac(secret, 0, text) !== ''", tests: ['test/scenarios/payer/gateway.test.ts'] },
  { guards: 'a gateway callback is new', file: 'src/payer/pay/gateway-signature.ts', text: 'if (Math.abs(Number(seconds) - secondsOf(now)) > AGE_SECONDS_MAX) return false', replacement: '', tests: ['test/scenarios/payer/gateway.test.ts'] },
  { guards: 'a case is opened by its own link', file: 'src/payer/case/link.ts', text: 'return isSigned(service.settings.secrets!, signature, (secret) => sign(secret, disputeId)) ? disputeId : undefined', replacement: "return signature !== '' ? disputeId : undefined", tests: ['test/scenarios/payer/problem.test.ts'] },
  { guards: 'a delivery is vouched for as it was sent', file: 'src/webhooks/signing/verify.ts', text: 'if (!sent || !isSame(sent, claim)) return false', replacement: 'if (!sent || isSame(sent, claim) === undefined) return false', tests: ['test/scenarios/webhooks/delivery.test.ts', 'test/scenarios/webhooks/events.test.ts'] },
  { guards: 'a withdrawn key vouches for nothing', file: 'src/webhooks/signing/verify.ts', text: 'if (certificate === undefined || withdraw_time !== null) return false', replacement: 'if (certificate === undefined) return false', tests: ['test/scenarios/webhooks/delivery.test.ts', 'test/scenarios/command-line/commands.test.ts', 'test/faults/service/secrets.test.ts'] },

  // The outside
  { guards: 'live hands no mail over in clear', file: 'src/payer/settings.ts', text: "variable: 'SMTP_ALLOW_PLAIN',\n    ...inSandbox,", replacement: "variable: 'SMTP_ALLOW_PLAIN',\n    ...inSandbox,\n    initial: true,", tests: ['test/scenarios/payer/mail.test.ts'], titled: 'TLS' },
  { guards: 'private addresses are not called', file: 'src/outbound/egress.ts', text: 'if (PRIVATE_RANGES.has(range)) return allowPrivate ? undefined : refused', replacement: 'if (PRIVATE_RANGES.has(range)) return undefined', tests: [egress] },
  { guards: 'the inside of a cloud is not called', file: 'src/outbound/egress.ts', text: 'if (DENIED_ADDRESSES.has(parsed.toString())) return refused', replacement: '', tests: [egress] },
  { guards: 'what a name resolves to is judged', file: 'src/outbound/guard.ts', text: 'if (refusal) return done(new EgressRefused(refusal), \'\')', replacement: '', tests: [egress] },
  { guards: 'names of private networks are not called', file: 'src/outbound/egress.ts', text: "if (PRIVATE_NAMES.test(name) || !name.includes('.')) return", replacement: "if (name === '') return", tests: [egress] },
  { guards: 'ports of other services are not called', file: 'src/outbound/egress.ts', text: 'if ((port < LOWEST_FREE_PORT && !WEB_PORTS.has(port)) || DENIED_PORTS.has(port))', replacement: 'if (port < 0)', tests: [egress] },

  // Jobs and units of work
  { guards: 'work of one kind wakes nobody who does another', file: 'src/jobs/worker.ts', text: 'if (source.kind === kind) source.wake()', replacement: 'if (kind !== undefined) source.wake()', tests: ['test/faults/jobs/looks.test.ts'] },
  { guards: 'a job is finished by who holds it', file: 'src/jobs/queue.ts', text: 'delete from jobs where id = $1 and fence = $2 returning 1', replacement: 'delete from jobs where id = $1 and $2::int is not null returning 1', tests: ['test/faults/jobs/runner.test.ts'] },
  { guards: 'a job that is held is not taken', file: 'src/jobs/queue.ts', text: 'and j.run_at <= $1 and (j.lease_until is null or ($10 and j.lease_until < clock_timestamp()))', replacement: 'and j.run_at <= $1 and ($10 or true)', tests: ['test/faults/jobs/runner.test.ts'] },
  { guards: 'a guard that fails starts the work over', file: 'migrations/0001_foundation.sql', text: 'if count <> 1 then', replacement: 'if count < 0 then', tests: ['test/faults/payer/refund-race.test.ts'] },
  { guards: 'who comes back before a quota has room is refused first', file: 'src/database/quota.ts', text: "?? '') > tx.now,", replacement: "?? '') > '9',", tests: ['test/faults/quota.test.ts'] },
  { guards: 'a quota is counted in the commit', file: 'src/database/quota.ts', text: 'where q.until <= $6 or q.used + excluded.used <= $7`', replacement: 'where q.until <= $6 or $7::bigint is not null`', tests: ['test/faults/quota.test.ts'] },

  // Bodies
  { guards: 'a request has so many files', file: 'src/http/body/multipart.ts', text: 'if (documents.length > limits.files) {', replacement: 'if (documents.length < 0) {', tests: ['test/faults/hostile-input/multipart.test.ts', 'test/properties/multipart.test.ts'] },
  { guards: 'the files of a request have so many bytes', file: 'src/http/body/multipart.ts', text: 'if (total > limits.totalFileBytes) throw tooManyBytes(limits)', replacement: '', tests: ['test/faults/hostile-input/multipart.test.ts', 'test/scenarios/clients/large-bodies.test.ts'] },

  // Standing and environment
  { guards: 'a database belongs to one environment', file: 'src/database/environment.ts', text: 'if (marked && marked.environment !== environment)', replacement: 'if (marked && marked.environment === undefined)', tests: ['test/faults/service/environment.test.ts'] },
  { guards: 'seeded credentials are none in live', file: 'src/accounts/authenticate.ts', text: ' and (not apps.sandbox or $2)`', replacement: ' and ($2 or not $2)`', tests: ['test/faults/service/environment.test.ts'] },
  { guards: 'tokens of an earlier generation are none', file: 'src/accounts/authenticate.ts', text: 'tokens.generation = apps.token_generation\n', replacement: 'tokens.generation <= apps.token_generation\n', tests: ['test/scenarios/accounts/access.test.ts', 'test/scenarios/command-line/commands.test.ts'] },
  { guards: 'a suspended merchant is paid nothing', file: 'src/invoices/payable.ts', text: '): boolean => status === \'ACTIVE\'', replacement: '): boolean => status !== (\'\' as string)', tests: ['test/scenarios/accounts/standing.test.ts'] },
  { guards: 'a suspended merchant sends nothing on its date', file: 'src/invoices/actions/issue.ts', text: 'if (context.account.status !== \'ACTIVE\')', replacement: 'if (context.account.status === (\'\' as string))', tests: ['test/scenarios/accounts/standing.test.ts'] },
  { guards: 'an app has one lookup, whose id everybody is told', file: 'src/webhooks/subscriptions/store.ts', text: 'tx.guard(insertLookup', replacement: 'tx.write(insertLookup', tests: ['test/scenarios/webhooks/subscriptions.test.ts'], titled: 'at once' },
  { guards: 'events of a suspended merchant are told to nobody else', file: 'src/webhooks/audience.ts', text: '(m.status = \'ACTIVE\' and case', replacement: '(m.status <> \'\' and case', tests: ['test/scenarios/accounts/standing.test.ts'] },
  { guards: 'nothing is sent to a suspended account', file: 'src/webhooks/delivery/deliver.ts', text: 'if (webhook?.active === false)', replacement: 'if (webhook?.active === null)', tests: ['test/scenarios/accounts/standing.test.ts'] },

  // Paying
  { guards: 'an open payment is continued in its own browser', file: 'src/payer/pay/attempts.ts', text: 'const isOwn = open.browser === wanted.browser', replacement: 'const isOwn = open.browser !== wanted.browser || true', tests: ['test/faults/payer/open-attempts.test.ts'] },
  { guards: 'an open payment is continued for the same sum', file: 'src/payer/pay/attempts.ts', text: 'if (isOwn && isSameSum)', replacement: 'if (isOwn || isSameSum)', tests: ['test/faults/payer/open-attempts.test.ts'] },
  { guards: 'a tip is at most what is paid with it', file: 'src/invoices/payable.ts', text: 'if (tip > amount)', replacement: 'if (tip > amount * 1_000_000n)', tests: ['test/faults/payer/open-attempts.test.ts'] },
  { guards: 'money that comes after a charge was given up goes back', file: 'src/payer/pay/charge-lifecycle.ts', text: '{ stored: \'REVERSED\',  heard: [\'COMPLETED\'],                                       to: \'RETURNED\',  does: [\'void\'] }', replacement: '{ stored: \'REVERSED\',  heard: [\'COMPLETED\'],                                       to: \'REVERSED\',  does: [] }', tests: ['test/properties/charge-lifecycle.test.ts'] },
  { guards: 'a denied charge is asked about again', file: 'src/payer/pay/charge-lifecycle.ts', text: "to: 'DENIED',    does: ['capture', 'ask again'] }", replacement: "to: 'DENIED',    does: ['capture'] }", tests: ['test/properties/charge-lifecycle.test.ts', 'test/faults/payer/charges.test.ts'] },
  { guards: 'what strangers send on pages is counted', file: 'src/http/operation.ts', text: 'await count(tx, known?.accountId)', replacement: '', tests: ['test/scenarios/payer/problem.test.ts'], titled: 'megabyte' },
  { guards: 'mails of an issue date count when it is chosen', file: 'src/invoices/mail-quota.ts', text: '(count, { recipients }) => count + recipients.length, mailedLater)', replacement: '(count, { recipients }) => count + recipients.length, 0 * mailedLater)', tests: ['test/faults/payer/mail-quota.test.ts'], titled: 'one morning' },
  { guards: 'refunds of cents mail nobody for ever', file: 'src/payer/pay/settle.ts', text: 'if (!(await hasMailQuota(service.settings, tx, { accountId: account_id, invoiceId: invoice_id }))) return', replacement: '', tests: ['test/faults/payer/mail-quota.test.ts'], titled: 'cent' },
  { guards: 'a refund is told by one mail', file: 'src/payer/pay/settle.ts', text: '...words, part_of }', replacement: '...words }', tests: ['test/faults/jobs/twice.test.ts'] },
  { guards: 'money that comes when nothing is due goes back', file: 'src/payer/pay/charge-lifecycle.ts', text: 'when: \'no longer due\',     to: \'RETURNED\',  does: [\'reverse\', \'void\'] }', replacement: 'when: \'no longer due\',     to: \'RETURNED\',  does: [\'reverse\'] }', tests: ['test/properties/charge-lifecycle.test.ts', 'test/faults/payer/charges.test.ts'] },

  // Crowds
  { guards: 'one address has only its share of connections', file: 'src/http/fair-share.ts', text: 'if (this.heldBy(who) + amount > this.#factor * (this.#max - this.#total)) return false', replacement: 'if (this.#total + amount > this.#max) return false', tests: ['test/faults/floods/connections.test.ts'] },
  { guards: 'connections are made free for who has fewer', file: 'src/http/connections.ts', text: 'if (!makeRoomFor(who)) return void socket.destroy()', replacement: 'if (who) return void socket.destroy()', tests: ['test/faults/floods/connections.test.ts'] },
  { guards: 'a connection is not ended in the middle of an answer', file: 'src/http/connections.ts', text: 'if (busy.has(socket)) continue', replacement: 'if (busy.has(socket) && who === most) continue', tests: ['test/faults/floods/connections.test.ts'] },
  { guards: 'who took their share of the processor waits', file: 'src/http/processor-share.ts', text: 'if (account.waiting.length === 0 && this.#keptMs(name, account, now) === 0) return', replacement: 'if (account.waiting.length === 0) return', tests: ['test/faults/floods/processor.test.ts'] },
  { guards: 'what an answer of the database leads to is counted', file: 'src/kernel/working.ts', text: 'if (one) workFor(one)', replacement: '', tests: ['test/units/working.test.ts'] },
  { guards: 'invented tokens are limited by address', file: 'src/accounts/authenticate.ts', text: 'if (network !== undefined) this.#guesses.take(network)\n', replacement: '\n', tests: ['test/faults/floods/names.test.ts'] },
  { guards: 'a side gives a hundred evidences', file: 'src/disputes/machine/evidence.ts', text: 'if (kept + added <= limits.evidences) return', replacement: 'if (kept + added <= limits.evidences * 10) return', tests: ['test/scenarios/clients/large-bodies.test.ts'], titled: 'hundred' },

  // The algebra of a unit of work
  { guards: 'a row is changed once in a unit of work', file: 'src/database/touched-rows.ts', text: 'if (others.some((other) => areSame(touched, other))) throw twice(table)', replacement: '', tests: ['test/properties/unit-of-work.test.ts', 'test/faults/unit-of-work.test.ts'] },
  { guards: 'a job that is enqueued again stays unless it is replaced', file: 'src/database/job-changes.ts', text: 'if (before && before.kind !== \'withdraw\' && !replace) return', replacement: 'if (before && !replace) return', tests: ['test/properties/unit-of-work.test.ts'] },
  // The workbench
  { guards: 'a clock that moves waits once for a receiver', file: 'src/jobs/patience.ts', text: 'this.#lost.has(url) ? AGAIN_MS', replacement: 'this.#lost.has(url) ? 1_000 * this.#seconds', tests: ['test/scenarios/webhooks/second-chances.test.ts'], titled: 'hangs' },
  { guards: 'a reset does not work off what it forgets', file: 'src/webhooks/dispatch/dispatcher.ts', text: '    this.stop()\n    for (const id', replacement: '    for (const id', tests: ['test/scenarios/webhooks/long-lines.test.ts'], titled: 'forgets it' },
  { guards: 'a request does not wait for a receiver that is down', file: 'src/jobs/patience.ts', text: 'const FAILURES_SEEN_MAX = 20\n', replacement: 'const FAILURES_SEEN_MAX = 2_000\n', tests: ['test/scenarios/webhooks/long-lines.test.ts'], titled: 'done its own' },
  { guards: 'a worker that stands still claims nothing', file: 'src/jobs/runner.ts', text: ' && !this.#paused) {', replacement: ') {', tests: ['test/faults/jobs/runner.test.ts'], titled: 'stands still' },
  { guards: 'a reset is not stopped by who writes meanwhile', file: 'src/sandbox/reset.ts', text: 'if (tries === TRIES_MAX || ', replacement: 'if (tries > 0 || ', tests: ['test/faults/reset.test.ts'], titled: 'another process wrote' },
  { guards: 'nobody is answered while a sandbox has nobody in it', file: 'src/sandbox/room.ts', text: 'await database.alone(() =>', replacement: 'await Promise.resolve().then(() =>', tests: ['test/faults/reset.test.ts'], titled: 'before or after' },
  { guards: 'a reset is done whole or not at all', file: 'src/sandbox/reset.ts', text: '      { locks: true },\n', replacement: '', tests: ['test/faults/reset.test.ts'], titled: 'between emptying and seeding' },
  { guards: 'a journey that fails lets the clock go', file: 'src/sandbox/time-travel.ts', text: '      clock.letGo(stood)\n', replacement: '', tests: ['test/faults/journey.test.ts'] },
  { guards: 'a fork that could not be ended does not count', file: 'src/sandbox/worlds.ts', text: '      .finally(() => made.delete(name))\n', replacement: '      .then(() => made.delete(name))\n', tests: ['test/faults/service/closing.test.ts'], titled: 'does not count' },
  { guards: 'who lost their groups loses their places', file: 'src/console/sign-in/oidc-routes.ts', text: 'const places = await replaceRoles', replacement: 'const places = one.grants.length && await replaceRoles', tests: ['test/scenarios/console/single-sign-on.test.ts'], titled: 'takes the places' },
  { guards: 'a proxy leads only the hosts it was told', file: 'src/outbound/forward-proxy.ts', text: 'if (!isLed(host)) {', replacement: "if (host === '') {", tests: ['test/scenarios/command-line/proxy.test.ts'] },
  { guards: 'two stories never share one clock', file: 'src/scenarios/runs.ts', text: '    if (running)\n', replacement: "    if (running?.id === '')\n", tests: ['test/scenarios/command-line/stories.test.ts'] },
  { guards: 'a webhook that listen left behind is taken away', file: 'src/cli/listen.ts', text: 'if (!isThere) await', replacement: 'if (!isThere && isThere) await', tests: ['test/scenarios/command-line/listen.test.ts'] },
  { guards: 'a pooler that lends by transaction is gone around', file: 'src/database/migrate.ts', text: 'if (await isPooled(client)) await requireSession(connector)', replacement: '', tests: ['test/faults/pooler.test.ts'], titled: 'refuses to' },
  { guards: 'nothing is prepared where it would not be found again', file: 'src/database/prepared.ts', text: "if (!this.#naming.prepares) return ''", replacement: '', tests: ['test/faults/pooler.test.ts'], titled: 'does all' },
  { guards: 'a version does not start where what it uses was taken away', file: 'src/database/migrate.ts', text: 'since !== undefined && !migrations.some(', replacement: 'since !== undefined && migrations.length < 0 && !migrations.some(', tests: ['test/faults/migrate.test.ts'], titled: 'taken away' },
  { guards: 'the check of the invariants has its turn', file: 'src/invariants/check.ts', text: "account_id: '-' }", replacement: "account_id: '' }", tests: ['test/stored/invariants.test.ts'], titled: 'begins to' },
  { guards: 'a rule that takes its time is not given up', file: 'src/database/pool.ts', text: 'Object.assign(connection, { held: true, limitMs })', replacement: 'Object.assign(connection, { held: limitMs >= 0 })', tests: ['test/faults/slow-statements.test.ts'] },
  { guards: 'what an account has is made in its own cell', file: 'src/cells/visitors.ts', text: 'if (!hadAbroad.test(route.url)) throw invalidToken(elsewhere)', replacement: '', tests: ['test/scenarios/cells/across.test.ts'] },
  { guards: 'a webhook is made in the cell of its account, unless another is named', file: 'src/cells/visitors.ts', text: 'if (!host.toLowerCase().startsWith(name))', replacement: 'if (name === "")', tests: ['test/scenarios/cells/across.test.ts'] },
  { guards: 'a full disk is to be waited for', file: 'src/database/errors.ts', text: 'isAmong(passing, code)', replacement: 'passing.has(code)', tests: ['test/faults/sql-errors.test.ts'], titled: 'its disk is full' },
  { guards: 'limits hold behind a pooler too', file: 'src/database/migrate.ts', text: 'if (pooled) await settleRole(client)', replacement: '', tests: ['test/faults/pooler.test.ts'], titled: 'by the role' },
  { guards: 'nobody is answered before every process has heard of it', file: 'src/database/broadcast.ts', text: 'if (isDone || this.#closed ||', replacement: 'if (!isDone || isDone || this.#closed ||', tests: ['test/faults/second-process.test.ts'], titled: 'has the time' },
  { guards: 'a process whose connection broke is waited for', file: 'src/database/broadcast.ts', text: 'const isDone = heard.size >= others && ', replacement: 'const isDone = ', tests: ['test/faults/second-process.test.ts'], titled: 'has the time' },
  { guards: 'a reset ends the faults of every process', file: 'src/sandbox/room.ts', text: "topics.push('reset')", replacement: 'house.faults.clear()', tests: ['test/faults/second-process.test.ts'], titled: 'go wrong' },
  { guards: 'nobody gets into a copy that is being made', file: 'src/database/copies.ts', text: "const CLOSED = 'allow_connections false'", replacement: "const CLOSED = 'allow_connections true'", tests: ['test/faults/snapshots.test.ts'], titled: 'looks into every' },
  { guards: 'keys that sign are put back whole', file: 'src/sandbox/worlds.ts', text: 'await database.transaction((connection) => putBack(connection, keep))', replacement: 'await putBack(database, keep)', tests: ['test/faults/snapshots.test.ts'], titled: 'leaves the keys' },
  { guards: 'listening leaves what others listen with', file: 'src/cli/listen.ts', text: ' && new URL(url).hostname === machine)', replacement: ' && machine !== undefined)', tests: ['test/scenarios/command-line/listen.test.ts'], titled: 'another machine' },
  { guards: 'a story is not made larger by its aliases', file: 'src/scenarios/read.ts', text: 'document.toJS({ maxAliasCount: ALIASES_MAX })', replacement: 'document.toJS({ maxAliasCount: -1 })', tests: ['test/scenarios/stories/reading.test.ts'], titled: 'many times as large' },

  // Backups
  { guards: 'what a command prints goes out to its end', file: 'src/main.ts', text: "for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))\n", replacement: '', tests: ['test/scenarios/command-line/basis.test.ts'], titled: 'however late' },
  { guards: 'a backup is in the audit log', file: 'src/cli/backup.ts', text: "await noteInLog(databaseUrl, settings, cause, file!).catch(unnoted(say, 'the backup is made'))", replacement: "await Promise.resolve().catch(unnoted(say, 'the backup is made'))", tests: ['test/stored/command-audit.test.ts'] },
  { guards: 'a backup is of one instant', file: 'src/backup/contents.ts', text: 'begin transaction isolation level repeatable read, read only', replacement: 'begin transaction read only', tests: [backups] },
  { guards: 'a backup that was changed is refused', file: 'src/backup/file.ts', text: 'if (end.sha256 !== found || ', replacement: 'if (end.sha256.length !== found.length || ', tests: [backups] },
  { guards: 'rows are not lost unasked to a restore', file: 'src/backup/load.ts', text: '  if (!replace)\n', replacement: '  if (!replace && tables.length === 0)\n', tests: [backups] },
  { guards: 'what comes in is not booked a second time', file: 'src/backup/load.ts', text: '} disable trigger user`', replacement: '} enable trigger user`', tests: [backups] },
  { guards: 'numbers go on after a restore', file: 'src/backup/load.ts', text: 'Object.entries(facts.sequences)', replacement: 'Object.entries(facts.sequences).slice(0, 0)', tests: [backups] },
  { guards: 'what others deliver is not taken over right after an outage', file: 'src/webhooks/delivery/work.ts', text: 'clock.now(), database.isSettled)', replacement: 'clock.now(), true)', tests: ['test/faults/webhooks/outage.test.ts'] },
  { guards: 'jobs of others are not taken over right after an outage', file: 'src/jobs/runner.ts', text: 'room, database.isSettled)', replacement: 'room, true)', tests: ['test/faults/jobs/outage.test.ts'], titled: 'right after' },
  { guards: 'a process whose database is slow stays ready', file: 'src/readiness.ts', text: 'silentMs < SILENT_MAX_MS ? []', replacement: 'silentMs < 0 ? []', tests: ['test/faults/service/outage.test.ts'], titled: 'is ready while' },
  { guards: 'a process whose database has fallen silent is not ready', file: 'src/readiness.ts', text: 'silentMs < SILENT_MAX_MS ? []', replacement: 'silentMs >= 0 ? []', tests: ['test/faults/service/outage.test.ts'], titled: 'is ready while' },
  { guards: 'after a failover nobody waits for a silent server of several', file: 'src/database/connector.ts', text: 'if (isTroubled) silence', replacement: 'if (!servers) silence', tests: ['test/faults/connections.test.ts'], titled: 'waits for no server' },
  { guards: 'a live service goes by the clock of the database', file: 'src/database/database-clock.ts', text: 'instantAt(Math.floor(performance.now() + this.#aheadMs))', replacement: 'systemClock.now()', tests: ['test/faults/clock.test.ts'], titled: 'goes by' },
  { guards: 'a clock that is moved takes one job at a time', file: 'src/jobs/queue.ts', text: '  where id = (\n', replacement: '  where id in (\n', tests: ['test/faults/jobs/runner.test.ts', 'test/house/statements.test.ts'] },

  // The console of a live service
  { guards: 'a form is bound to the login it was drawn for', file: 'src/console/visit.ts', text: 'if (!isTokenOf(service.settings.secrets!, person.session, path, token, realNow())) return false', replacement: 'if (token === undefined) return false', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'forms of their own' },
  { guards: 'a form is bound to the place it was drawn at', file: 'src/console/visit.ts', text: 'typed[PLACE_FIELD] === placeOf(person)', replacement: 'placeOf(person) !== undefined', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'left at another account' },
  { guards: 'a role opens what the table says', file: 'src/console/visit.ts', text: 'if (who.person) requireMay(who, mayOf(access))', replacement: '', tests: ['test/scenarios/console/access.test.ts'] },
  { guards: 'a link works once', file: 'src/console/sign-in/links.ts', text: "if (found.used_time !== null) return { kind: 'used' }", replacement: '', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'once' },
  { guards: 'a link works for a quarter of an hour', file: 'src/console/sign-in/links.ts', text: 'if (found.expire_time <= now) return', replacement: 'if (found.expire_time < now && found.expire_time > now) return', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'too late' },
  { guards: 'nobody is given a key to another account', file: 'src/console/pages/people.ts', text: 'if (elsewhere || (', replacement: 'if ((', tests: ['test/scenarios/console/people.test.ts'], titled: 'invited again' },
  { guards: 'what is grave is asked again', file: 'src/console/visit.ts', text: 'if ((!isGrave && !isMuch) || person.isFresh) return undefined', replacement: 'if (person) return undefined', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'grave' },
  { guards: 'a field leads to no place that all objects share', file: 'src/console/forms/fields.ts', text: '  if (!path.every((name) => ofList.test(name) || ofObject.test(name))) return\n', replacement: '', tests: ['test/scenarios/console/typed-and-sent.test.ts'], titled: 'passed over' },
  { guards: 'an offer is bound by the limit', file: 'src/console/pages/dispute.ts', text: "  'make-offer': offeredIn,\n", replacement: '', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'offers no more' },
  { guards: 'a look at an account is of the login that asked', file: 'src/console/sign-in/onlooker.ts', text: '  if (!isTokenOf(ring, session, lookAt(accountId), token, now)) return undefined\n', replacement: '', tests: ['test/scenarios/console/people.test.ts'], titled: 'looks at no account' },
  { guards: 'a draft that nobody saw is not sent along', file: 'src/console/pages/dispute.ts', text: '  if (await isAnotherDraft(sent, side, action)) return again(anotherDraft)\n', replacement: '', tests: ['test/scenarios/console/desk.test.ts'], titled: 'did not see it' },
  { guards: 'support gives back what the limit allows', file: 'src/console/visit.ts', text: "if (isMuch && person.role === 'support')", replacement: "if (isMuch && person.role === 'viewer')", tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'limit allows' },
  { guards: 'an edit of an invoice writes over nothing unseen', file: 'src/console/pages/invoice-writing.ts', text: 'if (isOutdated(typed, seenOf(before)))', replacement: "if (isOutdated(typed, typed['seen']))", tests: ['test/scenarios/console/typed-and-sent.test.ts'], titled: 'typed for an invoice' },
  { guards: 'an edit of a template writes over nothing unseen', file: 'src/console/pages/templates.ts', text: 'if (isOutdated(typed, seenOf(before)))', replacement: "if (isOutdated(typed, typed['seen']))", tests: ['test/scenarios/console/typed-and-sent.test.ts'], titled: 'typed for a template' },
  { guards: 'an edit of a webhook writes over nothing unseen', file: 'src/console/pages/webhook.ts', text: 'if (isOutdated(typed, seenOf(before)))', replacement: "if (isOutdated(typed, typed['seen']))", tests: ['test/scenarios/console/typed-and-sent.test.ts'], titled: 'typed for a webhook' },
  { guards: 'the token of an issuer is signed by it', file: 'src/console/sign-in/oidc.ts', text: 'execute: [enableNonRepudiationChecks, ', replacement: 'execute: [', tests: ['test/scenarios/console/single-sign-on.test.ts'], titled: 'signature' },
  { guards: 'a link ends those before it', file: 'src/console/sign-in/links.ts', text: '  tx.write(endEarlier, [personId, now])\n', replacement: '', tests: ['test/scenarios/console/sign-in.test.ts'], titled: 'another was made' },
  { guards: 'whoever has a passkey is given no link', file: 'src/console/pages/people.ts', text: 'if (elsewhere || (await listPasskeys(tx, person.id)).length > 0)', replacement: 'if (elsewhere)', tests: ['test/scenarios/console/people.test.ts'], titled: 'invited again' },
  { guards: 'a dispute is taken from nobody', file: 'src/console/desk.ts', text: '  if (holder !== undefined) return holder\n', replacement: '', tests: ['test/scenarios/console/live-work.test.ts'], titled: 'somebody has taken' },
  { guards: 'a dispute is given back for nobody else', file: 'src/console/desk.ts', text: 'from !== undefined && holder !== from) return holder', replacement: 'from === holder && holder !== from) return holder', tests: ['test/scenarios/console/live-work.test.ts'], titled: 'somebody has taken' },
  { guards: 'nothing is attempted at a webhook that is disabled', file: 'src/console/operator/webhook.ts', text: "if (!enabled) throw refused('WEBHOOK_DISABLED'", replacement: "if (enabled === undefined) throw refused('WEBHOOK_DISABLED'", tests: ['test/scenarios/console/live-webhooks.test.ts'] },
  { guards: 'nobody keeps an asset of another version', file: 'src/console/respond.ts', text: "isOfThisVersion ? 'public, max-age=31536000, immutable' : 'no-store'", replacement: "isOfThisVersion || text ? 'public, max-age=31536000, immutable' : 'no-store'", tests: ['test/scenarios/console/console.test.ts'] },
]
