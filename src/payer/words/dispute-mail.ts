import type { Language } from './languages.ts'
import type { MailWords } from './mail.ts'

/** What there is to tell about a dispute: it began, somebody waits for the reader, it ended. */
export type DisputeNews = 'opened' | 'updated' | 'resolved'

/** What those read about a dispute who have the API and no page. `{number}` and `{amount}` are filled in. */
export const disputePhrases: Readonly<Record<Language, Readonly<Record<DisputeNews, MailWords>>>> = {
  en: {
    opened: { subject: 'Dispute {number} was opened', lead: 'The dispute {number} over {amount} was opened.' },
    updated: {
      subject: 'Dispute {number} needs your answer',
      lead: 'The dispute {number} over {amount} needs your answer.',
    },
    resolved: { subject: 'Dispute {number} was resolved', lead: 'The dispute {number} over {amount} was resolved.' },
  },
  de: {
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
    opened: { subject: 'Le litige {number} a été ouvert', lead: 'Le litige {number} de {amount} a été ouvert.' },
    updated: {
      subject: 'Le litige {number} attend votre réponse',
      lead: 'Le litige {number} de {amount} attend votre réponse.',
    },
    resolved: { subject: 'Le litige {number} est résolu', lead: 'Le litige {number} de {amount} est résolu.' },
  },
  es: {
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
