/**
 * Which lines of a message are those of an older one, which it answers.
 *
 * What a reply quotes is old, and counts for nothing. What is forwarded is the message itself, however it is set off.
 */

import { plain } from "./PlainText.ts"
import { type Body, limits } from "./ReceivedMessage.ts"

const forwarding = /^(?:fwd?|fw|wg|tr|rv|enc|i|vb|doorst|pd|vs|vl|tov|转发|轉寄|転送|전달) ?:/iu
const answering =
  /^(?:re|aw|sv|antw?|res|rif|odp|ynt|ad|vá|atb|απ|ответ|відп|回复|回覆|答复|返信|회신|답장)(?: ?\[\d{1,3}\])? ?:/iu

const forwarded =
  /^[\s-]*(?:begin forwarded message|(?:start of )?forwarded message|weitergeleitete nachricht|message (?:transféré|réexpédié)|mensaje reenviado|mensagem (?:encaminhada|reencaminhada)|messaggio inoltrato|doorgestuurd bericht|vidarebefordrat|videresendt|wiadomość przekazana|přeposlaná zpráva|пересылаемое сообщение|перенаправленное сообщение|转发的?邮件|転送されたメッセージ|전달된 메시지)[\s:-]*/iu

/** The line that introduces an older message. */
const attribution =
  /(?:wrote|writes|schrieb|schreef|a écrit|escribió|escreveu|ha scritto|napisał(?:\(a\)|a)?|skrev|kirjoitti|napsala?|napísala?|írta|a scris|написал\(?а?\)?|пише|пишет|написав|yazdı|كتب|כתבה?|写道|寫道|のメッセージ|님이 작성)[^\p{L}]{0,20}$/iu
const separator =
  /^[\s_-]*(?:original message|ursprüngliche nachricht|message d['’]origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|ursprungligt meddelande|oprindelig meddelelse|opprinnelig melding|wiadomość oryginalna|původní zpráva|исходное сообщение|原始邮件|元のメッセージ|원본 메시지)[\s_-]*$/iu
const sender = /^(?:from|von|de|da|van|från|fra|od|от|від|lähettäjä|feladó|kimden|发件人|寄件者|差出人|보낸 사람) ?:/iu
const subject =
  /^(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|aihe|temat|předmět|predmet|tárgy|тема|konu|主题|主旨|件名|제목) ?:/iu

/** A header of a message has at most so many lines, from its sender to its subject. */
const headerLines = 6

/** Signs that programs put before the lines of an older message. */
export const marks = /^(?:[>|] ?){1,20}/u

/** For each line of a body, whether it is of an older message that this one answers. */
export const olderLines = (title: string, body: Body): ReadonlyArray<boolean> => {
  const lines = body.lines.slice(0, limits.lines).map(({ quoted = false, text }) => {
    const read = plain(text.slice(0, limits.lineCharacters))
    return { text: read.replace(marks, ""), quoted: quoted || marks.test(read) }
  })
  const subjectLine = plain(title.slice(0, limits.lineCharacters))
  const none = lines.map(() => false)
  if (forwarding.test(subjectLine) || lines.some(({ text }) => forwarded.test(text))) return none
  const isAnswer = answering.test(subjectLine)
  const isHeader = (index: number) =>
    sender.test(lines[index]?.text ?? "") &&
    lines.slice(index + 1, index + headerLines).some(({ text }) => subject.test(text))
  const begin = lines.findIndex(
    ({ text }, index) => separator.test(text) || attribution.test(text) || (isAnswer && isHeader(index))
  )
  if (begin < 0 && !isAnswer) return none
  // Whoever answers below a quotation has set it off.
  const isSetOff = lines.some(({ quoted }) => quoted)
  return lines.map(({ quoted }, index) => (isSetOff ? quoted || index === begin : index >= begin && begin >= 0))
}
