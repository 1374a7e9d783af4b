import type { NewsKind } from '../../disputes/news.ts'
import type { Reason } from '../../disputes/schema/enums.ts'
import type { Language } from './languages.ts'
import type { MailWords } from './mail.ts'

export type DisputeOutcomePhrase = 'won' | 'lost' | 'refunded' | 'returned' | 'kept'

interface DisputePhrases extends Readonly<Record<NewsKind, MailWords>> {
  readonly name: string
  readonly because: string
  readonly answerBy: string
  readonly open: string
  readonly reasons: Readonly<Record<Reason, string>>
  /** How it ended: for the reader or not, and with which money. */
  readonly outcomes: Readonly<Record<DisputeOutcomePhrase, string>>
}

/** What people read about a dispute if they have no payer's page for it. `{number}` and `{amount}` are filled in. */
export const disputePhrases: Readonly<Record<Language, DisputePhrases>> = {
  en: {
    name: 'Dispute {number}',
    because: 'Reason: {reason}',
    answerBy: 'Answer by {date}',
    open: 'Open the dispute',
    reasons: {
      MERCHANDISE_OR_SERVICE_NOT_RECEIVED: 'not received',
      MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: 'not as described',
      UNAUTHORISED: 'not authorised',
      CREDIT_NOT_PROCESSED: 'a refund did not arrive',
      DUPLICATE_TRANSACTION: 'charged twice',
      INCORRECT_AMOUNT: 'wrong amount',
      PAYMENT_BY_OTHER_MEANS: 'paid in another way',
      CANCELED_RECURRING_BILLING: 'cancelled subscription',
      PROBLEM_WITH_REMITTANCE: 'problem with a transfer',
      OTHER: 'other',
    },
    outcomes: {
      won: 'It was decided in your favour.',
      lost: 'It was decided in favour of the other side.',
      refunded: '{amount} was refunded.',
      returned: '{amount} that was taken back is in your balance again.',
      kept: 'You keep the {amount} you were given.',
    },
    message: {
      subject: 'New message in dispute {number}',
      lead: 'The other side wrote in the dispute {number} over {amount}.',
    },
    opened: { subject: 'Dispute {number} was opened', lead: 'The dispute {number} over {amount} was opened.' },
    updated: {
      subject: 'Dispute {number} needs your answer',
      lead: 'The dispute {number} over {amount} needs your answer.',
    },
    resolved: { subject: 'Dispute {number} was resolved', lead: 'The dispute {number} over {amount} was resolved.' },
  },
  de: {
    name: 'Beanstandung {number}',
    because: 'Grund: {reason}',
    answerBy: 'Antwort bis {date}',
    open: 'Beanstandung öffnen',
    reasons: {
      MERCHANDISE_OR_SERVICE_NOT_RECEIVED: 'nicht erhalten',
      MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: 'nicht wie beschrieben',
      UNAUTHORISED: 'nicht autorisiert',
      CREDIT_NOT_PROCESSED: 'Erstattung nicht eingegangen',
      DUPLICATE_TRANSACTION: 'doppelt belastet',
      INCORRECT_AMOUNT: 'falscher Betrag',
      PAYMENT_BY_OTHER_MEANS: 'anders bezahlt',
      CANCELED_RECURRING_BILLING: 'gekündigtes Abonnement',
      PROBLEM_WITH_REMITTANCE: 'Problem mit einer Überweisung',
      OTHER: 'Sonstiges',
    },
    outcomes: {
      won: 'Sie wurde zu Ihren Gunsten entschieden.',
      lost: 'Sie wurde zugunsten der anderen Seite entschieden.',
      refunded: '{amount} wurden erstattet.',
      returned: '{amount}, die zurückgenommen worden waren, sind wieder in Ihrem Guthaben.',
      kept: 'Sie behalten die {amount}, die Sie erhalten haben.',
    },
    message: {
      subject: 'Neue Nachricht zur Beanstandung {number}',
      lead: 'Die andere Seite hat zur Beanstandung {number} über {amount} geschrieben.',
    },
    opened: {
      subject: 'Beanstandung {number} wurde eröffnet',
      lead: 'Die Beanstandung {number} über {amount} wurde eröffnet.',
    },
    updated: {
      subject: 'Beanstandung {number} braucht Ihre Antwort',
      lead: 'Die Beanstandung {number} über {amount} braucht Ihre Antwort.',
    },
    resolved: {
      subject: 'Beanstandung {number} ist geklärt',
      lead: 'Die Beanstandung {number} über {amount} ist geklärt.',
    },
  },
  fr: {
    name: 'Litige {number}',
    because: 'Motif : {reason}',
    answerBy: 'Répondre avant le {date}',
    open: 'Ouvrir le litige',
    reasons: {
      MERCHANDISE_OR_SERVICE_NOT_RECEIVED: 'non reçu',
      MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: 'non conforme à la description',
      UNAUTHORISED: 'non autorisé',
      CREDIT_NOT_PROCESSED: 'remboursement non reçu',
      DUPLICATE_TRANSACTION: 'débité deux fois',
      INCORRECT_AMOUNT: 'montant erroné',
      PAYMENT_BY_OTHER_MEANS: 'payé autrement',
      CANCELED_RECURRING_BILLING: 'abonnement résilié',
      PROBLEM_WITH_REMITTANCE: 'problème de virement',
      OTHER: 'autre',
    },
    outcomes: {
      won: 'La décision vous est favorable.',
      lost: 'La décision est favorable à l’autre partie.',
      refunded: 'Montant remboursé : {amount}.',
      returned: '{amount} qui avaient été repris sont de nouveau sur votre solde.',
      kept: 'Vous gardez les {amount} reçus.',
    },
    message: {
      subject: 'Nouveau message dans le litige {number}',
      lead: 'L’autre partie a écrit dans le litige {number} de {amount}.',
    },
    opened: { subject: 'Le litige {number} a été ouvert', lead: 'Le litige {number} de {amount} a été ouvert.' },
    updated: {
      subject: 'Le litige {number} attend votre réponse',
      lead: 'Le litige {number} de {amount} attend votre réponse.',
    },
    resolved: { subject: 'Le litige {number} est résolu', lead: 'Le litige {number} de {amount} est résolu.' },
  },
  es: {
    name: 'Disputa {number}',
    because: 'Motivo: {reason}',
    answerBy: 'Responder antes del {date}',
    open: 'Abrir la disputa',
    reasons: {
      MERCHANDISE_OR_SERVICE_NOT_RECEIVED: 'no recibido',
      MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: 'no coincide con la descripción',
      UNAUTHORISED: 'no autorizado',
      CREDIT_NOT_PROCESSED: 'reembolso no recibido',
      DUPLICATE_TRANSACTION: 'cobrado dos veces',
      INCORRECT_AMOUNT: 'importe incorrecto',
      PAYMENT_BY_OTHER_MEANS: 'pagado de otra forma',
      CANCELED_RECURRING_BILLING: 'suscripción cancelada',
      PROBLEM_WITH_REMITTANCE: 'problema con una transferencia',
      OTHER: 'otro',
    },
    outcomes: {
      won: 'Se ha decidido a su favor.',
      lost: 'Se ha decidido a favor de la otra parte.',
      refunded: 'Importe reembolsado: {amount}.',
      returned: '{amount} que se habían retirado están de nuevo en su saldo.',
      kept: 'Usted conserva los {amount} recibidos.',
    },
    message: {
      subject: 'Nuevo mensaje en la disputa {number}',
      lead: 'La otra parte ha escrito en la disputa {number} por {amount}.',
    },
    opened: {
      subject: 'Se ha abierto la disputa {number}',
      lead: 'Se ha abierto la disputa {number} por {amount}.',
    },
    updated: {
      subject: 'La disputa {number} espera su respuesta',
      lead: 'La disputa {number} por {amount} espera su respuesta.',
    },
    resolved: { subject: 'La disputa {number} está resuelta', lead: 'La disputa {number} por {amount} está resuelta.' },
  },
  ja: {
    name: '異議申し立て {number}',
    because: '理由: {reason}',
    answerBy: '回答期限: {date}',
    open: '異議申し立てを開く',
    reasons: {
      MERCHANDISE_OR_SERVICE_NOT_RECEIVED: '未着',
      MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: '説明と異なる',
      UNAUTHORISED: '未承認',
      CREDIT_NOT_PROCESSED: '返金が届いていない',
      DUPLICATE_TRANSACTION: '二重請求',
      INCORRECT_AMOUNT: '金額の誤り',
      PAYMENT_BY_OTHER_MEANS: '別の方法で支払い済み',
      CANCELED_RECURRING_BILLING: '解約済みの定期購入',
      PROBLEM_WITH_REMITTANCE: '送金の問題',
      OTHER: 'その他',
    },
    outcomes: {
      won: 'お客様に有利な決定となりました。',
      lost: '相手方に有利な決定となりました。',
      refunded: '{amount}が返金されました。',
      returned: '取り消されていた{amount}が残高に戻りました。',
      kept: '受け取られた{amount}はそのままお持ちいただけます。',
    },
    message: {
      subject: '異議申し立て {number} に新しいメッセージがあります',
      lead: '{amount}の異議申し立て {number} に相手方からメッセージがあります。',
    },
    opened: {
      subject: '異議申し立て {number} が開始されました',
      lead: '{amount}の異議申し立て {number} が開始されました。',
    },
    updated: {
      subject: '異議申し立て {number} への回答が必要です',
      lead: '{amount}の異議申し立て {number} への回答が必要です。',
    },
    resolved: {
      subject: '異議申し立て {number} が解決しました',
      lead: '{amount}の異議申し立て {number} が解決しました。',
    },
  },
}
