/**
 * The button that dismisses an overlay without agreeing to more than its display.
 */
import type { Button, Overlay } from "../../browser/element/Survey.ts"

/** Labels of buttons that only close their dialog, in the most common languages of sites. */
const closes =
  /^(×|✕|✖|✗|x|close|close (dialog|modal|popup|banner|this|window|message)|dismiss|dismiss this .*|hide|hide this .*|got it|ok,? got it|understood|i understand|not now|no,? thanks|no thank you|maybe later|later|remind me later|ask me later|skip|skip for now|schließen|schliessen|verstanden|nicht jetzt|nein,? danke|später|überspringen|fermer|compris|j'ai compris|pas maintenant|non,? merci|plus tard|passer|cerrar|entendido|ahora no|no,? gracias|más tarde|omitir|chiudi|ho capito|non ora|no,? grazie|più tardi|salta|fechar|entendi|percebi|agora não|não,? obrigad[oa]|mais tarde|sluiten|begrepen|niet nu|nee,? bedankt|later misschien|zamknij|rozumiem|nie teraz|nie,? dziękuję|stäng|jag förstår|inte nu|nej,? tack|luk|lukk|forstået|sulje|закрыть|понятно|не сейчас|нет,? спасибо|kapat|anladım|閉じる|关闭|關閉|닫기)$/u

/** Labels that refuse cookies. */
const refuses =
  /^(reject( all)?( cookies)?|decline( all)?( cookies)?|refuse( all)?|deny( all)?|only necessary( cookies)?|necessary( cookies)? only|essential( cookies)? only|use necessary cookies only|only essential( cookies)?|(alle )?ablehnen|nur notwendige( cookies)?|nur erforderliche( cookies)?|(tout )?refuser|continuer sans accepter|rechazar( todo| todas)?|rifiuta( tutto| tutti)?|rejeitar( tudo| todos)?|(alles )?weigeren|odrzuć( wszystkie)?|avvisa( alla)?|отклонить( все)?)$/u

/** Labels that accept cookies, which are used only where a notice is about them and cannot be refused. */
const accepts =
  /^(accept( all)?( cookies)?|accept (and|&) close|allow( all)?( cookies)?|agree|i agree|i accept|agree (and|&) close|ok|okay|(alle )?(cookies )?akzeptieren|(allen )?zustimmen|einverstanden|(tout )?accepter( et fermer)?|j'accepte|d'accord|aceptar( todo| todas)?( las cookies)?|acepto|accetta( tutto| tutti)?( i cookie)?|accetto|aceitar( tudo| todos)?|aceito|(alles )?accepteren|akkoord|akceptuję|zaakceptuj( wszystkie)?|zgadzam się|acceptera( alla)?|godkänn( alla)?|принять( все)?|согласен|kabul et|同意する|接受|同意|동의)$/u

/** The rest of a notice that has only this button. */
const acknowledges = /^(ok|okay|aceptar|ok!|d'accord|va bene|gut|okej|ок)$/u

const aboutCookies =
  /cookie|consent|gdpr|privacy|tracking|datenschutz|einwilligung|confidentialit|privacidad|privacidade|riservatezza|privacyverklaring|prywatno|integritet|файл[а-я]{0,10} cookie|конфиденциальн/iu

/** Words of buttons that commit to something, anywhere in a label. */
const commits =
  /\b(buy|purchase|pay|order|checkout|check out|delete|remove|erase|subscribe|unsubscribe|sign ?up|sign ?in|log ?in|log ?out|register|continue|proceed|confirm|submit|send|transfer|book|reserve|upgrade|install|download|save|apply|yes|next|start|join|donate|cancel (my|the|this|order|booking|subscription)|kaufen|bestellen|bezahlen|zahlen|löschen|entfernen|abonnieren|anmelden|registrieren|weiter|bestätigen|absenden|senden|buchen|speichern|ja|acheter|commander|payer|supprimer|effacer|abonner|inscrire|continuer(?! sans accepter)|confirmer|envoyer|réserver|oui|comprar|pagar|pedir|eliminar|borrar|suscribir|registrar|continuar|confirmar|enviar|reservar|acquista|paga|ordina|elimina|iscriviti|continua|conferma|invia|prenota|excluir|assinar|kopen|bestellen|betalen|verwijderen|doorgaan|bevestigen|kup|zapłać|usuń|dalej|potwierdź|köp|betala|ta bort|fortsätt|bekräfta|купить|оплатить|удалить|продолжить|подтвердить)\b/iu

/** Words of a notice whose dismissal might be a decision. */
const speaksOfCommitting =
  /\b(delete|permanently|payment|purchase|order total|löschen|zahlung|supprimer|paiement|eliminar|pago)\b/iu

const plain = (label: string): string =>
  label
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim()
    .replace(/(?<![.!…])[.!…]+$/u, "")

/**
 * The buttons that dismiss an overlay, the one to try first foremost: what closes it, what refuses cookies, what agrees
 * to them, and the one button of a mere notice. It never returns a button that commits to anything.
 */
export const waysOut = ({ buttons, isAlert, text }: Overlay): ReadonlyArray<Button> => {
  const harmless = buttons.filter(({ label }) => !commits.test(label))
  const those = (pattern: RegExp) => harmless.filter(({ label }) => pattern.test(plain(label)))
  const cookies = aboutCookies.test(text) && !speaksOfCommitting.test(text)
  const isMereNotice = buttons.length === 1 && !speaksOfCommitting.test(text)
  const ways = [
    ...(isAlert && speaksOfCommitting.test(text) ? [] : those(closes)),
    ...(cookies ? [...those(refuses), ...those(accepts)] : []),
    ...(isMereNotice ? those(acknowledges) : [])
  ]
  return [...new Map(ways.map((button) => [button.selector, button])).values()]
}

/** The options of a person where nothing dismisses an overlay: its buttons by number, as labels repeat. */
export const actionsOf = ({ buttons }: Overlay): ReadonlyArray<{ readonly id: string; readonly label: string }> =>
  buttons.map(({ label }, index) => ({ id: `action_${index + 1}`, label }))

/** The button of an action. */
export const buttonOf = ({ buttons }: Overlay, action: string): Button | undefined =>
  buttons[Number(/^action_(\d+)$/.exec(action)?.[1] ?? 0) - 1]
