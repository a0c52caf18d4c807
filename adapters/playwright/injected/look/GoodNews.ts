/** Words of what has been done or is shown, in the languages that sites are mostly written in. */
const done =
  /\b(deleted|removed|saved|updated|created|added|copied|moved|sent|uploaded|published|restored|imported|changed|completed?|showing|success(ful(ly)?)?|logged (in|out)|signed (in|out)|gelöscht|gespeichert|aktualisiert|erstellt|hinzugefügt|gesendet|erfolgreich|supprimée?s?|enregistrée?s?|créée?s?|envoyée?s?|eliminad[oa]s?|guardad[oa]s?|cread[oa]s?|enviad[oa]s?)(?![\p{L}])/iu

/** Words of errors and requests. A message with one of them is an error message. */
const wrong =
  /\b(not|no|n't|never|cannot|could|unable|fail(ed|ure|s)?|error|invalid|wrong|incorrect|must|should|required|please|denied|missing|expired|already|again|before|without|nicht|kein(e[nrms]?)?|fehler|ungültig|falsch|muss|bitte|pas|erreur|échec|doit|veuillez|no se|fallo|debe|por favor)(?![\p{L}])|n['’]t(?![\p{L}])/iu

/** Whether a message only says that something has been done, such as "1 row deleted", although a page announces it. */
export const isGoodNews = (text: string): boolean => text.length <= 200 && done.test(text) && !wrong.test(text)
