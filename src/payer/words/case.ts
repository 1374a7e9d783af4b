import { es, fr, ja } from './case-others.ts'
import type { Language } from './languages.ts'

const en = {
  reportTitle: 'Report a problem',
  reportIntro: 'Tell {business} what is wrong with your payment of {amount}. We hold the amount until it is settled.',
  payment: 'Payment',
  whatIsWrong: 'What is wrong?',
  notReceived: 'I did not receive it',
  notAsDescribed: 'It is not as described',
  unauthorised: 'I did not make this payment',
  duplicate: 'I paid twice',
  incorrectAmount: 'The amount is wrong',
  creditNotProcessed: 'A refund did not arrive',
  whatHappened: 'What happened?',
  document: 'Picture or PDF (optional)',
  report: 'Report the problem',
  cannotReport:
    'A problem with this payment cannot be reported now: it was reported before, or too much time has passed.',
  reported: 'A problem with this payment was reported to {business} as case {number}.',
  linkGoesTo: 'We mail a private link to {address}. Only that link opens the case.',
  linkWentTo: 'We mailed a private link to {address}. Only that link opens the case; it is not shown here.',
  noLink:
    'There is no e-mail address with this payment, so nobody can follow the case here; {business} answers you directly.',
  mailAgain: 'Mail me the link again',
  mailedAgain: 'We mailed you the link.',
  mailedEnough: 'The link was mailed several times today. Look among your spam, or try again tomorrow.',
  caseTitle: 'Your problem with {business}',
  caseNumber: 'Case {number}',
  open: 'Reported',
  waitingSeller: 'Waiting for {business}',
  waitingBuyer: 'Waiting for you',
  underReview: 'Being reviewed',
  resolved: 'Settled',
  answerBy: 'Answer by {date}',
  outcomeRefund: '{amount} was refunded to you.',
  outcomeNone: 'The case was closed without a refund.',
  offer: '{business} offers you {amount}',
  accept: 'Accept {amount}',
  deny: 'Decline the offer',
  denyNote: 'Why not? (required to decline)',
  messages: 'Messages',
  you: 'You',
  message: 'Your message',
  send: 'Send',
  evidence: 'Add evidence',
  evidenceNote: 'What does it show?',
  escalate: 'Ask for a decision',
  cancel: 'The problem is solved',
  refused: 'This cannot be done any more.',
  backToInvoice: 'Back to the invoice',
  openedSubject: 'You reported a problem with invoice {number}',
  openedLead: 'We told {business}. Follow the case, write messages and answer offers through your private link.',
  updatedSubject: 'News about your problem with invoice {number}',
  updatedLead: '{business} answered. Your private link shows what is new.',
  resolvedSubject: 'Your problem with invoice {number} is settled',
  resolvedLead: 'The case is closed. Your private link shows the outcome.',
  follow: 'Follow the case',
} as const

type Key = keyof typeof en
export type ProblemWords = Readonly<Record<Key, string>>

const de: ProblemWords = {
  reportTitle: 'Ein Problem melden',
  reportIntro:
    'Sagen Sie {business}, was mit Ihrer Zahlung von {amount} nicht stimmt. Wir halten den Betrag zurück, bis es geklärt ist.',
  payment: 'Zahlung',
  whatIsWrong: 'Was stimmt nicht?',
  notReceived: 'Ich habe nichts erhalten',
  notAsDescribed: 'Es ist nicht wie beschrieben',
  unauthorised: 'Ich habe diese Zahlung nicht veranlasst',
  duplicate: 'Ich habe doppelt bezahlt',
  incorrectAmount: 'Der Betrag ist falsch',
  creditNotProcessed: 'Eine Erstattung ist nicht angekommen',
  whatHappened: 'Was ist passiert?',
  document: 'Bild oder PDF (freiwillig)',
  report: 'Problem melden',
  cannotReport:
    'Zu dieser Zahlung kann kein Problem gemeldet werden: Es wurde schon gemeldet, oder es ist zu viel Zeit vergangen.',
  reported: 'Ein Problem mit dieser Zahlung wurde {business} als Fall {number} gemeldet.',
  linkGoesTo: 'Wir schicken einen privaten Link an {address}. Nur dieser Link öffnet den Fall.',
  linkWentTo:
    'Wir haben einen privaten Link an {address} geschickt. Nur dieser Link öffnet den Fall; hier wird er nicht gezeigt.',
  noLink:
    'Zu dieser Zahlung gibt es keine E-Mail-Adresse; der Fall lässt sich hier nicht verfolgen. {business} antwortet Ihnen direkt.',
  mailAgain: 'Link noch einmal schicken',
  mailedAgain: 'Wir haben Ihnen den Link geschickt.',
  mailedEnough:
    'Der Link wurde heute schon mehrmals geschickt. Sehen Sie im Spam-Ordner nach, oder versuchen Sie es morgen wieder.',
  caseTitle: 'Ihr Problem mit {business}',
  caseNumber: 'Fall {number}',
  open: 'Gemeldet',
  waitingSeller: 'Wartet auf {business}',
  waitingBuyer: 'Wartet auf Sie',
  underReview: 'In Prüfung',
  resolved: 'Geklärt',
  answerBy: 'Antworten bis {date}',
  outcomeRefund: '{amount} wurden Ihnen erstattet.',
  outcomeNone: 'Der Fall wurde ohne Erstattung geschlossen.',
  offer: '{business} bietet Ihnen {amount} an',
  accept: '{amount} annehmen',
  deny: 'Angebot ablehnen',
  denyNote: 'Warum nicht? (zum Ablehnen nötig)',
  messages: 'Nachrichten',
  you: 'Sie',
  message: 'Ihre Nachricht',
  send: 'Senden',
  evidence: 'Beleg hinzufügen',
  evidenceNote: 'Was zeigt er?',
  escalate: 'Um eine Entscheidung bitten',
  cancel: 'Das Problem ist gelöst',
  refused: 'Das ist nicht mehr möglich.',
  backToInvoice: 'Zurück zur Rechnung',
  openedSubject: 'Sie haben ein Problem mit Rechnung {number} gemeldet',
  openedLead:
    'Wir haben {business} informiert. Über Ihren privaten Link verfolgen Sie den Fall, schreiben Nachrichten und beantworten Angebote.',
  updatedSubject: 'Neues zu Ihrem Problem mit Rechnung {number}',
  updatedLead: '{business} hat geantwortet. Ihr privater Link zeigt, was neu ist.',
  resolvedSubject: 'Ihr Problem mit Rechnung {number} ist geklärt',
  resolvedLead: 'Der Fall ist geschlossen. Ihr privater Link zeigt das Ergebnis.',
  follow: 'Fall verfolgen',
}

export const problemWords: Readonly<Record<Language, ProblemWords>> = { en, de, fr, es, ja }

export type SayProblem = (phrase: Key, values?: Readonly<Record<string, string>>) => string

export const sayProblemIn =
  (language: Language): SayProblem =>
  (phrase, values = {}) =>
    problemWords[language][phrase].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
