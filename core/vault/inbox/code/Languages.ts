/**
 * The words of messages, by language. To read codes in another language, add a row.
 *
 * Words are separated by commas, and compared without case and accents. A word also matches longer words that begin with
 * it; with a dot at its end, only itself; with a hyphen at its start, also within a compound. A word after `=` needs its
 * accents, and one with capitals its capitals too.
 */
export interface Language {
  readonly name: string
  /** What a code is called. Beside a word of `purpose` it is one to sign in or to confirm something with. */
  readonly code: string
  /** What only such codes are called. */
  readonly secret?: string
  /** What such codes are for. */
  readonly purpose: string
  /** The word "number": of what, says the word beside it. */
  readonly number?: string
  /** What has a number that is no code. */
  readonly thing?: string
  /** What is always about the number that follows it, such as "call" or "ending in". */
  readonly line?: string
  /** What makes a code beside it one of another kind. */
  readonly sort?: string
  /** The same, and words of shops, carriers and hotels. */
  readonly trade?: string
  /** What joins a name and its number. */
  readonly is?: string
  /** What stands between a name and what it is of. */
  readonly of?: string
  /** What asks to use the number that follows. */
  readonly use?: string
  /** What asks to use the number before. */
  readonly used?: string
  /** What says that the number that follows takes the place of an older one. */
  readonly fresh?: string
  /** What says that the number that follows is no longer good. */
  readonly past?: string
  /** What says that the number before is no longer good. */
  readonly over?: string
  /** What begins a sentence in which the latter is only an assumption. */
  readonly unless?: string
  /** What beside the latter says that it only will be so. */
  readonly later?: string
}

export const languages: ReadonlyArray<Language> = [
  {
    name: "English",
    code: "-code., -codes., pin., pins., pincode, token., account code., id code.",
    secret:
      "otp., otps., sms code, code sms, sms-code, kod sms, kode sms, kodu sms, sms kod, sms kood, sms koodi, sms kode, sms koda, sms kods, sms pin, text message code, -passcode, pass code, passkey code, one-time password, one time password, temporary password, single-use password, TAN.",
    purpose:
      "verify., verification, verifying, sign in, sign-in, signin, signing in, sign you in, log in, log-in, login, log you in, logging in, logon, authenticat, authoris, authoriz, security., one-time, one time, onetime, single-use, single use, two-factor, two factor, 2fa., mfa., 2-step, two-step, identity, activat, access., temporary, confirm., confirms., confirming, approve., approval, unlock your, unlock account, reset., to finish., to continue., to proceed., it's you, it is you, not share, -n't share, never share, -n’t share",
    number: "number., no., num., digits.",
    thing:
      "barcode, zipcode, postcode, order, invoice, receipt, reference, ref., case., ticket, customer, client., account, acct, member, transaction, payment, policy., contract, serial, part., item, model., document, request., gate., room., suite., seat., flight, meeting, id., ids., sku., imei, iban, vat., tax., EIN., utr., licence, license, registration, plate., trip., event., build., version, release., port., issue., page., application, claim., po box, p.o. box, project, job., user., username, login id, login name, company., card., prescription, po., p.o., phone., telephone, mobile., shipment, parcel, package, tracking, nhs., student, employee, meter., station., unit., apt., floor., article, chapter, section., commit., pull request, bug., address, conference, webinar, workspace, invoice, statement",
    line: "tel., fax., hotline, helpline, call., call us, dial., ring., phone us, text., txt., reply., replying, quote., quoting, STOP., HELP., START., ending in, ending with, ending., ends in, ends with, last four, last 4, last two, sent to, texted to",
    sort: "zip., postal, post., area., country., error., status., exit., qr., bar., source., dress., door., gate., entry., alarm., building, wi-fi, wifi, sort., bank., branch., routing, swift., bic., product, sku., store., dial., dialling, dialing, conduct, backup, back-up, scratch, colour, color, tax., vat., customer, client, model, item, serial, order, invoice, class., course., school, key., appointment, visit, loyalty, session., game., level., voting, vote., unlock., payment, booking., reservation, conference, meeting, ticket, case., reference, ref., member, policy., project, department, name., names., review, base., snippet, freeze",
    trade:
      "pickup, pick-up, pick up, collection, collect., locker, parcel, package, delivery, delivered, deliver., driver., courier, shipped, shipping, shipment, tracking, promo, promotion, discount, coupon, voucher, gift, % off, off., sale., offer., offers., checkout, redeem, referral, refer., invite., booking, reservation, itinerary, passenger, boarding, check-in, guest, newsletter, unsubscribe, shop., shop now, save., savings, table for, door., gate., entry., alarm., wi-fi, wifi, parking, garage, gym., lock., counter, reception, cashier, kiosk, turnstile, show code, show this",
    is: "is., are., as., reads., as follows, is now, is still, is currently, is therefore, was.",
    of: "of.",
    use: "use., using, enter., entering, type., type in, input., key in, submit, provide., with., try., need., is now, replaced by, replaced with, by.",
    used: "when asked, when prompted, to continue",
    fresh: "new., newer, newest, latest, current, another., fresh., next code",
    past: "previous, earlier, old., older, former, prior., instead of, rather than, (not, and not, but not, such as, other than, for example, e.g., like., do not use, don't use, don’t use, ignore., disregard, replaces, replacing, supersedes, wrong., incorrect, expired., invalid.",
    over: "expired., no longer, cancelled, canceled, revoked, was replaced, been replaced, is replaced, superseded, is invalid, invalid., not valid, not work, -n't work, -n’t work, out of date, is void, already been used, already used, was used, stopped working, timed out, cannot be used, withdrawn, failed",
    unless: "if., unless., when.",
    later: "once., will., after., becomes., until."
  },
  {
    name: "German",
    code: "-code., -codes., -kode., pin., -pin., kennziffer, -ziffernfolge",
    secret:
      "TAN., mTAN., iTAN., smsTAN., pushTAN., chipTAN., photoTAN., -tan-code, einmalpasswort, einmal-passwort, einmalkennwort, einmal-kennwort",
    purpose:
      "bestatig, bestaetig, verifizier, verifikation, verifizierung, sicherheit, anmeld, anzumelden, einlog, einzuloggen, login, zugang, zugangs, zugriff, einmal, freischalt, freigabe, freizugeben, freigeben, freizuschalten, aktivier, authentifizier, autorisier, legitimation, identitat, registrier, zwei-faktor, nicht weiter, niemandem, entsperr, prufcode",
    number: "nummer, -nummer., nr., -nr., nummern",
    thing:
      "bestell, auftrag, auftrags, rechnung, kunde, vorgang, vertrag, mitglied, konto, referenz, ref., ticket, artikel, fall., beleg, steuer, haus, handy, aktenzeichen, zahler, termin, zimmer, depot, uberweisung, karte, iban, bic., blz., ust, hrb., antrag, rufnummer, telefon, mobil, filiale, schaden, police, nutzer, benutzer, vorwahl, plz., postleitzahl, zeichen., meldung, gerate, sendung, paket, buchung, st.nr, stnr",
    line: "tel., hotline, anruf, rufen sie, endung, endet auf, endend auf, endziffern, STOP., STOPP., sms an, antworten, fax., unter.",
    sort: "fehler, turcode, tuercode, haustur, eingang, wlan, landes, strich, qr., quell, geschenk, bestell, auftrags, kunden, referenz, vorgangs, produkt, artikel, adress, backup, schliess, zutritt, bank",
    trade:
      "abhol, paket, packstation, lieferung, zustell, versand, sendung, gutschein, rabatt, aktions, angebot, abbestell, newsletter, einlos, warenkorb, einkauf, sparen, gewinn, reservierung, check-in, fluggast, zustellung",
    is: "ist., sind., lautet, lauten, wie folgt, als., gilt",
    of: "von., der., des.",
    use: "verwende, benutze, nutze, nutzen, geben sie, gib., mit., verwenden, eingabe von, tippen sie, durch.",
    used: "ein., eingeben, eintippen, eintragen, ein,",
    fresh: "neu., neue., neuer., neuen., neues., neueste, aktuell, sondern",
    past: "alter., alte., alten., altes., vorherig, bisherig, fruher, vorig, nicht mehr, statt., anstatt, anstelle, ignorier, und nicht, falsch, abgelaufene., ersetzt den",
    over: "abgelaufen, nicht mehr, ungultig, verfallen, ersetzt, widerrufen, storniert, gilt nicht, nicht gultig, verbraucht, funktioniert nicht",
    unless: "wenn., falls., sobald.",
    later: "wird., nach., werden."
  },
  {
    name: "Dutch",
    code: "-code., -codes., -pincode",
    secret: "eenmalig wachtwoord",
    purpose:
      "verificatie, verifieer, beveiliging, bevestig, inlog, in te loggen, aanmeld, aan te melden, toegang, eenmalig, activeer, activering, identiteit, niemand, login, autoris",
    number: "nummer, -nummer., nr.",
    thing:
      "bestelling, bestel, factuur, klant, order, zaak, referentie, telefoon, volgnummer, volgnr, rekening, dossier, afspraak, pakket, kvk., btw., postcode",
    line: "tel., bel., sms, antwoord, eindigend op, eindigt op",
    sort: "fout, deur, post, postcode, land, qr., streep",
    trade:
      "afhaal, pakket, bezorg, levering, korting, actie, cadeau, track & trace, uitschrijven, aanbieding, boeking, verzonden",
    is: "is., luidt, als.",
    of: "van.",
    use: "gebruik, voer, vul, typ., met., door.",
    used: "in om, in te vullen, invullen, invoeren",
    fresh: "nieuw, huidige",
    past: "vorige, oude., eerdere, in plaats van, en niet, negeer, verlopen code",
    over: "verlopen, niet meer, niet langer, ongeldig, vervangen, vervallen, ingetrokken",
    unless: "als.",
    later: "wordt., na."
  },
  {
    name: "Afrikaans",
    code: "-kode.",
    secret: "eenmalige wagwoord",
    purpose: "verifikasie, verifieer, sekuriteit, bevestig, aanmeld, aan te meld, eenmalig, toegang",
    thing: "bestelling, faktuur, rekening, verwysing",
    trade: "pakkie, aflewering, afslag, koepon",
    is: "is.",
    use: "gebruik, voer., tik.",
    fresh: "nuwe",
    past: "vorige, ou., in plaas van",
    over: "verval, nie meer, ongeldig"
  },
  {
    name: "Swedish",
    code: "-kod., -koden., -kode, koder",
    secret: "engangslosenord, engangskod",
    purpose:
      "bekraft, verifier, sakerhet, engang, inloggning, logga in, logga, aktivera, aktivering, atkomst, identifier, legitimer, lamna aldrig, dela den inte, dela inte",
    number: "nummer, -nummer., nr.",
    thing: "order, faktura, kund, arende, referens, telefon, konto, bestallning, personnummer, kolli, org",
    line: "ring., tel., sms:a, slutar pa, svara",
    sort: "fel, port, post, land, streck, qr.",
    trade: "hamt, paket, leverans, rabatt, kampanj, presentkort, erbjudande, avprenumerera, bokning",
    is: "ar., som.",
    use: "ange., anvand, skriv, skriv in, fyll i, med., av., med.",
    fresh: "ny., nya., nytt.",
    past: "gamla., tidigare, foregaende, i stallet for, istallet for, och inte, ignorera, ersatter",
    over: "inte langre, gatt ut, ogiltig, ersatts, har ersatts, utgangen, upphort, fungerar inte",
    unless: "om.",
    later: "blir., efter."
  },
  {
    name: "Norwegian and Danish",
    code: "-kode., -koden., -koder., kodeord",
    secret: "engangspassord, engangskode, engangsadgangskode",
    purpose:
      "bekreft, bekraeft, bekræft, verifiser, verificer, verifikasjon, sikkerhet, sikkerhed, engangs, logge inn, logge ind, logg inn, log ind, innlogging, login, innloggings, aktiver, godkend, adgang, tilgang, identitet, ikke del, del den ikke, del ikke",
    number: "nummer, -nummer., nr.",
    thing: "ordre, faktura, kunde, sak., sag., referanse, reference, telefon, konto, bestilling, sending, cvr., org",
    line: "ring., tlf., svar., slutter pa, ender pa",
    sort: "feil, fejl, dor, port, post, land, strek, streg, qr.",
    trade: "hente, afhent, pakke, levering, rabat, kupong, gavekort, tilbud, avmeld, afmeld, forsendelse, booking",
    is: "er., lyder, som.",
    use: "bruk, brug, skriv, skriv inn, indtast, tast, angi., oppgi, med., av., af.",
    fresh: "ny., nye., nytt., nyt.",
    past: "gamle., tidligere, forrige, i stedet for, og ikke, ignorer, erstatter",
    over: "ikke lenger, ikke laengere, ikke længere, ikke gyldig, utlopt, udlobet, ugyldig, erstattet, annullert, annulleret, virker ikke",
    unless: "hvis., dersom.",
    later: "blir., bliver., etter., efter."
  },
  {
    name: "Icelandic",
    code: "-koði., -koðinn., -koða, kodi, -kodinn",
    secret: "einnota lykilorð",
    purpose: "staðfesting, staðfest, oryggis, innskraning, innskra, skra inn, einnota, auðkenni, aðgang, ekki deila",
    thing: "pontun, reikning, tilvisun",
    trade: "pakki, afslatt, sending",
    is: "er.",
    use: "notaðu, slaðu inn, sladu inn",
    fresh: "nyi., nyr.",
    past: "gamli, fyrri, eldri",
    over: "utrunnin, ekki lengur, ogild"
  },
  {
    name: "Finnish",
    code: "-koodi, -koodisi, -koodin, -koodia, tunnusluku",
    secret: "kertakayttokoodi, kertakayttoi, kertakayttosalasana, tekstiviestikoodi",
    purpose:
      "vahvist, turva, kertakaytto, kirjaut, sisaankirjaut, tunnistau, todennus, todenna, aktivoi, ala jaa, ala kerro, alka",
    number: "numero, -numero.",
    thing: "tilaus, tilaukse, lasku, asiakas, viite, puhelin, tili., varaus, lahetystunnus, postinumero",
    line: "soita, puh., paattyva",
    sort: "virhe, ovi, posti, maa, viiva, qr.",
    trade: "nouto, noudett, paketti, lahety, toimitus, alennus, kuponki, lahjakortti, tarjous, kampanja",
    is: "on.",
    use: "kayta, syota, anna., kirjoita",
    fresh: "uusi., uuden., uutta.",
    past: "vanha., edellinen, aiempi, sijaan, korvaa",
    over: "ei ole enaa, vanhentunut, ei kelpaa, mitaton, korvattu, ei toimi, ei voi enaa",
    unless: "jos., kun."
  },
  {
    name: "Estonian",
    code: "-kood., -koodi, -koodiga",
    secret: "uhekordne parool, uhekordse parool, uhekordne kood",
    purpose: "kinnita, kinnitus, turva, uhekord, sisselog, sisse logi, autent, aktiveeri, paasukood, ara jaga, tuvasta",
    number: "number, -number.",
    thing: "tellimus, tellimuse, arve, klient, kliendi, viite, telefon",
    line: "helista, tel.",
    trade: "pakk., paki., valjastus, tarne, soodus, allahindlus, kupong, saadetis",
    is: "on.",
    use: "kasuta, sisesta",
    fresh: "uus., uue., uut.",
    past: "vana., eelmine, varasem, asemel",
    over: "aegunud, ei kehti, enam ei, kehtetu, asendatud",
    unless: "kui."
  },
  {
    name: "Latvian",
    code: "kods., kodu., koda., kodam.",
    secret: "vienreizeja parole, vienreizejs kods, vienreizejo",
    purpose:
      "apstiprina, apstiprin, verifik, drosib, vienreiz, pieteik, pieteikt, ielog, autentifik, aktiviz, pieklu, neizpaud, nevienam",
    number: "numurs, numura",
    thing: "pasutijum, rekin, klienta, talruni, atsauc",
    line: "zvaniet, talr.",
    trade: "sutijum, iznemsan, piegad, atlaid, kupon, paka.",
    is: "ir.",
    use: "izmantojiet, izmanto, ievadiet, ievadi",
    fresh: "jauns., jauno., jaunais",
    past: "vecais, iepriekse, vietā, ieprieksejais",
    over: "vairs nav, nav derig, beidzies, derigums, nederig, aizstats",
    unless: "ja."
  },
  {
    name: "Lithuanian",
    code: "kodas., koda., kodu., kodo., kode.",
    secret: "vienkartinis slaptazodis, vienkartinis kodas, vienkartini",
    purpose:
      "patvirtin, saugos, saugumo, prisijung, vienkart, autentifik, aktyv, tapatyb, neatskleisk, niekam, nesidalin",
    number: "numeris, numerio",
    thing: "uzsakym, saskait, klient, telefon, nuorod",
    line: "skambinkite, tel.",
    trade: "siunta, siunt, atsiem, pristat, nuolaid, kupon, pasto",
    is: "yra., – tai",
    use: "naudokite, iveskite, ivesk, naudok",
    fresh: "naujas, nauja, naujo",
    past: "senas, ankstesn, vietoj",
    over: "nebegalioja, negalioja, baigesi, pasibaig, pakeistas, nebetinka",
    unless: "jei., jeigu."
  },
  {
    name: "Polish",
    code: "kod., kodu., kodem., kody., -kod.",
    secret: "haslo sms, haslo jednorazowe, hasla jednorazowe, jednorazowe haslo, haslo do operacji, smskod, sms-kod",
    purpose:
      "weryfik, bezpieczen, potwierdz, autoryz, aktyw, logowani, zalogow, logowa, jednoraz, dostepu, tozsamosc, nie udostepniaj, nie podawaj, nikomu",
    number: "numer, nr., numeru",
    thing:
      "zamowieni, klient, faktur, przesylk, telefon, spraw, referenc, zgloszeni, konto, konta., nip., regon., pesel., rachunk, umow, operacj, operacji",
    line: "tel., zadzwon, konczac, dzwon, sms o tresci, wyslij",
    sort: "bled, blad, pocztow, kreskow, qr., drzwi, kierunkow",
    trade:
      "odbior, paczk, paczkomat, przesylk, dostaw, kurier, rabat, promocyj, znizk, kupon, voucher, rezerwac, wypisz",
    is: "to., brzmi, jest.",
    use: "uzyj, wpisz, podaj, wprowadz, przepisz, przez., na.",
    fresh: "nowy., nowe., nowego., aktualny",
    past: "poprzedni, stary., starego, wczesniejsz, zamiast, a nie, zignoruj, zastepuje",
    over: "wygasl, stracil waznosc, niewazn, nieaktualn, nie jest juz, jest nieaktualn, zostal zastapiony, anulowan, juz nie dziala, nie dziala, nieprawidlow",
    unless: "jesli., gdy., jezeli.",
    later: "po."
  },
  {
    name: "Czech and Slovak",
    code: "kod., kodu., kodem., kodom., -kod.",
    secret: "jednorazove heslo, jednorazova hesla, sms klic, sms kluc, smskod",
    purpose:
      "overov, overen, overit, bezpecnost, potvrz, potvrd, prihlas, prihlasen, autoriz, aktivac, jednoraz, pristup, totoznost, nikomu",
    number: "cislo, c., cisla, cislom",
    thing:
      "objednav, faktur, zakazni, zasilk, zasielk, telefon, reklamac, smlouv, zmluv, variabiln, ico., ic., dic., uctu, pripad",
    line: "tel., volejte, volajte, koncici, konciac",
    sort: "chyb, chybov, postovni, smerovac, psc., carov, ciarov, qr., dver",
    trade: "vyzvedn, vyzdvih, zasilk, zasielk, balik, doruc, slev, zlav, kupon, poukaz, akcni, rezervac, odhlas",
    is: "je., zni., znie.",
    use: "zadejte, zadajte, pouzijte, pouzite, vlozte, opiste, prepiste, za.",
    fresh: "novy., nove., noveho., aktualni",
    past: "predchoz, predchadzaj, puvodn, povodn, stary., stareho, misto, namiesto, drivejsi, nahrazuje",
    over: "jiz neplati, uz neplati, neplati, neplatn, vyprsel, vyprsela, byl nahrazen, bol nahraden, expiroval, zrusen, zruseny, nefunguje",
    unless: "pokud., kdyz., ak.",
    later: "po."
  },
  {
    name: "Hungarian",
    code: "-kod., -kodja, -kodjat, -kodot, -kodod, -kodok, -koddal",
    secret: "egyszer hasznalatos, egyszeri jelszo, egyszeri kod",
    purpose:
      "ellenorzo, megerosit, biztonsagi, belepes, belepteto, bejelentkez, hitelesit, aktival, azonosit, egyszer, jovahagy, senkinek, ne ossza, ne adja",
    number: "szam., szama., szamu., -szam., -szama.",
    thing: "rendeles, szamla, ugyfel, ugyszam, telefon, hivatkozas, csomag, adoszam, iranyitoszam, foglalas",
    line: "hivja, tel., vegzodo",
    sort: "hiba, kapu, postai, vonal, qr., orszag",
    trade: "atveteli, atvetel, csomag, szallit, kedvezmeny, kupon, akcios, utalvany, futar, leiratkoz, foglalasi",
    is: "a kovetkezo, ez.",
    use: "hasznalja, hasznald, irja be, ird be, adja meg, ezt:",
    used: "megad",
    fresh: "uj., ujabb",
    past: "regi., elozo, korabbi, helyett",
    over: "nem ervenyes, ervenytelen, lejart, mar nem, helyett, torolve",
    unless: "ha."
  },
  {
    name: "Romanian",
    code: "cod., codul., coduri., codului, cod:, parola.",
    secret: "parola de unica folosinta, parola unica, parola temporara",
    purpose:
      "verificar, securitat, confirma., confirmati., confirmare contului, autentific, conect, acces, activ, unica folosinta, identitat, nimanui, nu il divulga, nu divulga",
    number: "numar, numarul, nr.",
    thing: "comand, factur, client, dosar, telefon, referint, cont., contul, colet, cui., cnp.",
    line: "tel., sunati, terminat, terminata",
    sort: "eroare, postal, bare., qr., fiscal, tara",
    trade: "ridicar, colet, livrar, curier, reducer, promotional, cupon, voucher, rezervar, dezabon",
    is: "este., e.",
    of: "de.",
    use: "foloseste, folositi, introdu, introduceti, tasteaza, cu.",
    fresh: "nou., noul., noua.",
    past: "vechi, anterior, precedent, in loc de, in locul",
    over: "a expirat, nu mai este, expirat, nevalid, invalid, inlocuit, anulat",
    unless: "daca.",
    later: "dupa."
  },
  {
    name: "Bulgarian and Macedonian",
    code: "код., кодът, кодот, кода., кодове",
    secret: "еднократна парола, еднократна лозинка, парола за еднократн, смс код",
    purpose:
      "потвържд, потврд, потвърд, сигурност, безбедн, безопасност, вход., влезе, влез., влизане, удостовер, верифик, активац, активир, еднократ, достъп, најав, не го спод, никого",
    number: "номер, №., број",
    thing: "поръчк, нарачк, фактур, клиент, пратк, телефон, сметк, договор, егн., булстат",
    line: "тел., обадете, завършващ",
    sort: "грешк, пощенск, поштенск, баркод, промо",
    trade: "получаван, пратк, доставк, отстъпк, попуст, промо, купон, ваучер, куриер, подигн, резервац",
    is: "е.",
    use: "използвайте, използвай, въведете, въведи, внесете, употребете, користете",
    fresh: "нов., новият, новия, ново., новиот",
    past: "стар., стария, предишн, предходн, претходн, вместо, наместо",
    over: "вече не, изтекъл, изтече, невалид, не е валид, заменен, повеќе не, истечен",
    unless: "ако.",
    later: "след."
  },
  {
    name: "Serbian, Croatian and Bosnian",
    code: "kod., koda., kodom., код., кода., kodovi",
    secret: "jednokratna lozinka, jednokratnu lozinku, jednokratni kod, jednokratni, једнократна лозинка, једнократни",
    purpose:
      "verifik, potvrd, sigurnos, bezbednos, sigurnosn, prijav, autoriz, aktivac, jednokrat, pristup, identitet, nikome, ne otkriv, ne dijel, ne delite, верифик, потврд, сигурнос, безбеднос, пријав, аутентик, једнократ",
    number: "broj, broja, број",
    thing: "narudzb, porudzb, racun, kupac, posiljk, predmet., telefon, referenc, oib., pib., поруџб, рачун, нарачк",
    line: "tel., nazovite, pozovite, zavrsava",
    sort: "gresk, postansk, qr., bar., vrata",
    trade: "preuziman, posiljk, paket, dostav, popust, kupon, promo, vaucer, rezervac, пакет, попуст, преузим",
    is: "je., glasi, је.",
    use: "unesite, upotrijebite, upotrebite, koristite, unesi, унесите, користите",
    fresh: "novi., nov., novu., novog, нови., нову",
    past: "prethodn, stari., starog, umjesto, umesto, претходн, стари., уместо",
    over: "vise ne, istekao, nevazec, nije vise, nije valjan, zamijenjen, zamenjen, ponisten, више не, истекао, неважећ",
    unless: "ako., ако.",
    later: "nakon., posle."
  },
  {
    name: "Slovenian",
    code: "koda., kodo., kode., kodi.",
    secret: "enkratno geslo, enkratna koda, enkratnim geslom",
    purpose:
      "potrdit, potrdil, preverjan, preverit, varnost, prijav, enkrat, overit, aktivac, dostop, identitet, nikomur, ne delite, z nikomer",
    number: "stevilka, st., stevilk",
    thing: "narocil, racun, stranke, posiljk, zadev, telefon, referenc, davcn",
    line: "tel., poklicite",
    sort: "napak, postna, qr., crtn",
    trade: "prevzem, paket, posiljk, dostav, popust, kupon, promocij, rezervac, odjav",
    is: "je., se glasi",
    use: "uporabite, uporabi, vnesite, vnesi, vpisite",
    fresh: "nova., novo., nov.",
    past: "prejsnj, stara., star., stare., namesto",
    over: "ni vec, ne velja vec, potekla, je potekla, neveljavn, zamenjana, preklican",
    unless: "=če.",
    later: "po."
  },
  {
    name: "Albanian",
    code: "kodi., kod., kodin., kodit.",
    secret: "fjalekalim njeperdorimsh",
    purpose: "verifik, sigur, konfirm, hyrje, hyni, njeperdor, autent, aktivi, mos e ndani",
    thing: "porosi, fature, klient",
    trade: "pako, zbritje, kupon, dergese",
    is: "eshte.",
    use: "perdorni, vendosni, shkruani",
    fresh: "i ri.",
    past: "i vjeter, i meparshem",
    over: "ka skaduar, nuk eshte me"
  },
  {
    name: "Greek",
    code: "κωδικος, κωδικο, κωδικου, pin.",
    secret: "κωδικος μιας χρησης, κωδικο μιας χρησης, συνθηματικο μιας χρησης",
    purpose:
      "επαληθευσ, ασφαλεια, μιας χρησης, επιβεβαιωσ, συνδε, εισοδ, ταυτοποιησ, ενεργοποιησ, πιστοποιησ, μην τον κοινοποι, μην τον μοιρα, προσβασ",
    number: "αριθμος, αρ.",
    thing: "παραγγελι, τιμολογι, πελατ, λογαριασμ, υποθεσ, τηλεφων, αναφορ, αφμ.",
    line: "τηλ., καλεστε, ληγει σε",
    sort: "αποστολ, ταχυδρομικ, εκπτωτικ, σφαλματ, προϊοντ, παραλαβ, κρατησ",
    trade: "αποστολ, παραλαβ, δεμα., εκπτω, κουπον, προσφορ, κρατησ, παραδοσ",
    is: "ειναι.",
    use: "χρησιμοποιηστε, εισαγετε, πληκτρολογηστε, εισαγαγετε",
    fresh: "νεος., νεο., νεον",
    past: "προηγουμεν, παλιο, παλιος, αντι.",
    over: "εληξε, εχει ληξει, δεν ισχυει, ακυρ, αντικαταστ",
    unless: "αν., εαν.",
    later: "μετα."
  },
  {
    name: "Turkish",
    code: "kod., kodu, kodunu, kodla, kodum, sifre., sifren, sifresi, parola., parolan",
    secret: "tek kullanimlik sifre, tek kullanimlik kod, tek kullanimlik parola, tek kullanimlik",
    purpose:
      "dogrula, onay, guvenlik, giris, oturum, aktivasyon, etkinlestir, tek kullanim, kimlik, kimseyle, paylasma, yetkilendir, bu sms",
    number: "numara, no., numarali",
    thing: "urun, siparis, musteri, fatura, takip, telefon, referans, hesap, kart., islem no, basvuru, vergi",
    line: "tel., arayin, ile biten",
    sort: "hata, posta, kapi, barkod, qr., ulke, urun, stok, musteri, siparis, fatura, takip, referans",
    trade: "teslim, kargo, gonderi, paket, indirim, kupon, promosyon, kampanya, hediye, rezervasyon, abonelik",
    is: "su:, asagidadir",
    use: "icin.",
    used: "girin, giriniz, yazin, kullanin, kullaniniz, ile giris, ile islem",
    fresh: "yeni.",
    past: "eski., onceki, yerine",
    over: "artik gecer, gecersiz, suresi dol, suresi doldu, iptal, gecerli degil, yerine, kullanilamaz",
    unless: "eger.",
    later: "sonra."
  },
  {
    name: "Azerbaijani",
    code: "kod., kodu, kodun",
    secret: "birdəfəlik sifrə, birdəfəlik kod, birdəfəlik",
    purpose: "təsdiq, tesdiq, təhlukəsizlik, giris, dogrula, daxil ol, aktivləs, hec kim, paylasma",
    thing: "sifaris, faktura, musteri",
    trade: "catdirilma, endirim, kupon, baglama",
    use: "istifadə edin, daxil edin",
    fresh: "yeni.",
    past: "əvvəlki, kohnə",
    over: "etibarsiz, vaxti bit, artiq kecərli"
  },
  {
    name: "Kazakh and Kyrgyz",
    code: "код., коды, кодын, кодуну",
    secret: "бір реттік, бир жолку",
    purpose: "растау, кіру, қауіпсіздік, ырастоо, кируу, тастыктоо, ешкімге, эч кимге",
    thing: "тапсырыс, шот., буйрутма",
    trade: "сәлемдеме, жеткізу, жеңілдік, купон",
    use: "енгізіңіз, қолданыңыз, киргизиңиз",
    fresh: "жаңа, жаны.",
    past: "ескі, алдыңғы, эски",
    over: "жарамсыз, мерзімі өт, мөөнөтү"
  },
  {
    name: "Uzbek",
    code: "kod., kodi, kodingiz, kodni",
    secret: "bir martalik parol, bir martalik kod",
    purpose: "tasdiqla, kirish, xavfsizlik, tasdiq, hech kimga",
    thing: "buyurtma, hisob",
    trade: "yetkazib, chegirma, kupon, jonatma",
    use: "kiriting, foydalaning",
    fresh: "yangi.",
    past: "eski., oldingi",
    over: "yaroqsiz, muddati"
  },
  {
    name: "Russian",
    code: "код., кода., кодом., коду., коды., пароль, пин., пин-код, -код.",
    secret: "одноразовый пароль, одноразовый код, смс-код, sms-код, проверочный код",
    purpose:
      "подтвержд, подтверд, безопасност, доступа., проверк, провероч, авториз, активац, вход., входа., войти, войдите, одноразов, защитн, секретн, идентифик, личност, никому, не сообщ, не говор, регистрац",
    number: "номер, №.",
    thing:
      "логин., товар, артикул, заказ, счет, договор, клиент, обращен, отправлен, заявк, телефон, карт, инн., кпп., снилс, бронирован, чек., накладн",
    line: "тел., звоните, позвоните, оканчива, заканчива, горячая линия",
    sort: "ошибк, почтов, штрих, подъезд, домофон, qr., страны, промо, скидк",
    trade:
      "получени, выдач, посылк, достав, курьер, скидк, промокод, купон, сертификат, акци, отписа, бронировани, пвз., трек",
    is: "это., —",
    use: "введите, используйте, укажите, наберите, введи., используй, на.",
    fresh: "новый, новая, новое, нового",
    past: "прежн, предыдущ, стар, вместо, а не, игнорируйте, заменяет",
    over: "истек., истекло, больше не, недействител, просроч, не действ, устарел, заменен, аннулирован, использован, отменен, не подош",
    unless: "если., когда.",
    later: "после., через."
  },
  {
    name: "Ukrainian and Belarusian",
    code: "код., коду., кодом., коди., пароль, пін., -код.",
    secret: "одноразовий пароль, одноразовий код, аднаразов",
    purpose:
      "підтвердж, підтверд, безпек, доступу., перевір, авториз, актив, вхід., входу., увійти, увійд, одноразов, особ, нікому, не повідом, не каж, пацвярдж, пацверд, уваход, бяспек, нікому",
    number: "номер, №., нумар",
    thing: "замовлен, рахун, договор, клієнт, звернен, телефон, карт, ттн., заказ, замов",
    line: "тел., телефонуйте, закінчу",
    sort: "помилк, пошт, штрих",
    trade: "отриман, посилк, достав, знижк, промокод, купон, видач, бронюван, пасылк",
    is: "це., гэта., —",
    use: "введіть, використайте, використовуйте, вкажіть, увядзіце, скарыстайце, на.",
    fresh: "новий, нова., нове., новы.",
    past: "попередн, стар, замість, папярэдн",
    over: "більше не, недійсн, минув, закінчи, застар, замінен, скасован, больш не, несапраўдн",
    unless: "якщо., калі.",
    later: "після."
  },
  {
    name: "Mongolian",
    code: "код., коды, кодыг",
    secret: "нэг удаагийн нууц үг, нэг удаагийн",
    purpose: "баталгаажуул, нэвтрэх, аюулгүй",
    thing: "захиалг, нэхэмжлэх",
    trade: "хүргэлт, хямдрал, купон",
    use: "оруулна, ашиглана"
  },
  {
    name: "Georgian",
    code: "კოდ",
    secret: "ერთჯერადი კოდ, ერთჯერადი პაროლ, ერთჯერად",
    purpose:
      "დადასტურ, დამადასტურებ, ვერიფიკაცი, უსაფრთხოებ, შესვლ, შესასვლელ, ავტორიზაცი, აქტივაცი, იდენტიფიკაცი, ერთჯერად, არავის",
    number: "ნომერ, ნომრ",
    thing: "შეკვეთ, ინვოის, კლიენტ, ტელეფონ, ანგარიშ",
    line: "ტელ., დარეკე",
    sort: "შეცდომ, საფოსტო",
    trade: "ამანათ, მიწოდებ, ფასდაკლებ, კუპონ, ვაუჩერ, გზავნილ, პრომო",
    is: "არის.",
    use: "გამოიყენეთ, შეიყვანეთ",
    fresh: "ახალი",
    past: "ძველი, წინა., ნაცვლად",
    over: "აღარ, ვადაგასულ, ვადა გაუვიდა, არასწორ, გაუქმდა"
  },
  {
    name: "Armenian",
    code: "կոդ",
    secret: "մեկանգամյա",
    purpose: "հաստատ, մուտք, անվտանգ, նույնական, ակտիվաց, ոչ ոքի",
    number: "համար",
    thing: "պատվեր, հաշիվ",
    trade: "առաքում, զեղչ, կուպոն, ծանրոց",
    is: "է., է՝, եմ",
    use: "մուտքագրեք, օգտագործեք",
    fresh: "նոր.",
    past: "հին., նախորդ",
    over: "այլեւս, այլևս, ժամկետանց, անվավեր"
  },
  {
    name: "French",
    code: "code., codes., -code., pin.",
    secret: "mot de passe unique, mot de passe a usage unique, mot de passe temporaire, code a usage unique",
    purpose:
      "verifier., verifiez, securite, connexion, connect, connecter, confirmer, confirmez, validation, valider, acces, acceder, activer, authentifi, identifi, identite, usage unique, unique., temporaire, autoris, ne le partag, ne partag, ne le transmet, ne le communiqu, a personne, deverrouill",
    number: "numero, n°, no., num.",
    thing:
      "commande, facture, client, dossier, suivi, telephone, compte, reference, ref., contrat, virement, siret, siren, tva., carte., reservation, adherent, rendez-vous, chambre, billet, colis",
    line: "tel., appelez, appeler, repondez, envoyez, STOP., se terminant par, finissant par, termine par, fax.",
    sort: "postal, promo, barres, erreur, client, produit, article, porte., pays, qr., penal, civil, immeuble, wifi, commande",
    trade:
      "retrait, colis, livraison, point relais, promo, promotion, reduction, remise, cadeau, bon d'achat, parrainage, desabonn, soldes, profitez, reservation, coursier, expedie",
    is: "est., est le, est la, suivant, comme, sera",
    of: "de., d., du., des.",
    use: "utilisez, utiliser, saisissez, saisir, entrez, tapez, composez, indiquez, avec., par.",
    fresh: "nouveau, nouvelle",
    past: "ancien, precedent, n'utilisez plus, n’utilisez plus, au lieu de, a la place de, ignorez, et non, plutot que, errone, incorrect, remplace le",
    over: "n'est plus, n’est plus, a expire, est expire, sont expire, =expiré., =périmé., invalide, a ete remplace, est remplace, a ete annule, est annule, plus valable, plus valide, ne fonctionne plus, plus utilis, n'est pas valide, n’est pas valide",
    unless: "si., lorsque",
    later: "sera., apres., dans."
  },
  {
    name: "Spanish and Galician",
    code: "codigo, codigos, clave., pin., token., contrasena.",
    secret:
      "contrasena de un solo uso, contrasena temporal, clave dinamica, clave de un solo uso, contrasinal dun so uso",
    purpose:
      "verificacion, verificar, verifica., verifique, seguridad, acceso, acceder, confirmar., confirma., confirme., activacion, activar, inicio de sesion, iniciar sesion, inicia sesion, inicie sesion, entrar., un solo uso, autenticacion, autorizacion, autorizar, identidad, identificacion, temporal, unico, no lo compart, no compart, non o compart, con nadie, con ninguen, validar, validacion, desbloque, dinamica, seguridade, acceso",
    number: "numero, n.º, num., nº.",
    thing:
      "pedido, factura, cliente, cuenta, caso., seguimiento, telefono, referencia, expediente, operacion, contrato, tarjeta, nif., dni., cif., cita., habitacion, localizador, tramite, folio, incidencia, poliza, socio",
    line: "tel., llama, llame, terminado en, terminada en, acabado en, acabada en, responde, envia., enviado al, enviado a, BAJA., ALTO., PARAR.",
    sort: "postal, barras, producto, error, puerta, portal, pais, qr., cliente, fuente, swift, wifi, pedido",
    trade:
      "recogida, recoger, paquete, envio, entrega, repartidor, descuento, promocional, promocion, cupon, oferta, ofertas, regalo, reserva, rebajas, dar de baja, compra., llevate, vale.",
    is: "es., es el, es la, e., siguiente, como",
    of: "de., del., do., da.",
    use: "usa., use., utiliza, utilice, introduce, introduzca, ingresa, ingrese, escribe, escriba, digite, digita, con., emplea, teclea, teclee, insire, usar, el nuevo es, por.",
    fresh: "nuevo, nueva, novo.",
    past: "anterior, antiguo, antigua, viejo, previo, no uses, no use., no utilice, en lugar de, en vez de, ignora., ignore., y no, incorrecto, erroneo, sustituye, reemplaza",
    over: "ha caducado, caduco., caducado, ya no, ha expirado, expiro., expirado, vencido, vencio., invalido, no es valido, ha sido sustituido, fue sustituido, reemplazado, anulado, cancelado, dejo de",
    unless: "si., cuando.",
    later: "tras., sera."
  },
  {
    name: "Portuguese",
    code: "codigo, codigos, token., senha., pin.",
    secret: "senha unica, senha temporaria, senha de uso unico",
    purpose:
      "verificacao, verificar, verifique, seguranca, acesso, acessar, confirmar., confirme., ativacao, ativar, autenticacao, autenticar, login, iniciar sessao, uso unico, unico, entrar., identidade, autoriz, validacao, validar, nao compart, nao o compart, nao partilh, com ninguem, desbloque",
    number: "numero, n.º, nº., num.",
    thing:
      "pedido, fatura, cliente, conta, caso., rastreio, rastreamento, telefone, referencia, protocolo, boleto, contrato, cartao, cpf., cnpj., nif., encomenda, reserva, operacao",
    line: "tel., ligue, responda, envie, terminado em, terminada em, final.",
    sort: "postal, barras, produto, erro, porta, pais, qr., cliente, cep., rastreio, rastreamento",
    trade:
      "levantamento, retirada, encomenda, entrega, envio, frete, desconto, promocional, promocao, cupom, cupao, oferta, presente, reserva, descadastr, estafeta",
    is: "e., e o, e a, seguinte, como",
    of: "de., do., da., dos., das.",
    use: "use., usa., utilize, digite, introduza, insira, informe, com., escreva, por., pelo.",
    fresh: "novo., nova., atual",
    past: "anterior, antigo, antiga, velho, em vez de, nao use., nao utilize, ignore., e nao, substitui",
    over: "expirou, expirado, ja nao, nao e mais, caducou, invalido, nao e valido, foi substituido, substituido, cancelado, venceu, nao vale mais",
    unless: "se., quando.",
    later: "apos., sera."
  },
  {
    name: "Italian",
    code: "codice, codici, pin.",
    secret: "password monouso, password temporanea, codice monouso",
    purpose:
      "verifica, verificare, sicurezza, accesso, accedere, confermare, conferma., attivazione, attivare, autenticazione, autorizza, autorizzare, monouso, temporaneo, identita, non condivid, non comunic, nessuno, sbloccare, effettuare il login, login",
    number: "numero, n., nr.",
    thing:
      "ordine, fattura, cliente, pratica, telefono, spedizione, riferimento, rif., conto, contratto, bonifico, carta., prenotazione, p. iva, p.iva, iva., fiscale, camera",
    line: "tel., chiama, rispondi, invia., termina con, terminante, numero verde, assistenza",
    sort: "fiscale, postale, prodotto, cliente, errore, barre, qr., porta., cap., paese",
    trade:
      "ritiro, pacco, consegna, spedizion, corriere, sconto, promozionale, promozione, coupon, buono, offerta, regalo, prenotazione, disiscriv",
    is: "e., e il, e' il, e la, seguente, come",
    of: "di., del., della., dell., d.",
    use: "usa., usare, inserisci, inserire, inserisca, utilizza, utilizzi, immetti, digita, digiti, con., da., dal.",
    fresh: "nuovo, nuova",
    past: "precedente, vecchio, al posto di, invece di, non usare, ignora., e non, sostituisce, errato",
    over: "e scaduto, scaduto, non e piu, piu valido, non valido, e stato sostituito, sostituito, annullato, revocato",
    unless: "se., quando.",
    later: "dopo., sara."
  },
  {
    name: "Catalan",
    code: "codi., codis., contrasenya.",
    secret: "contrasenya d'un sol us",
    purpose:
      "verificacio, verificar, seguretat, acces, accedir, confirmar., activacio, iniciar sessio, d'un sol us, autentic, identitat, no el comparteix, no comparteix",
    thing: "comanda, factura, client, expedient, telefon",
    trade: "recollida, paquet, enviament, descompte, oferta, reserva",
    is: "es.",
    of: "de., del., d.",
    use: "utilitza, fes servir, introdueix, introduiu, escriu, per.",
    fresh: "nou., nova.",
    past: "anterior, antic, en lloc de",
    over: "ha caducat, caducat, ja no, no es valid"
  },
  {
    name: "Basque",
    code: "-kodea, -kode., -kodeak, kodea",
    secret: "erabilera bakarreko",
    purpose: "egiaztapen, segurtasun, saioa, sarbide, berrespen, baieztapen, ez partekatu",
    thing: "eskaera, faktura, bezero",
    trade: "pakete, deskontu, bidalketa",
    is: "da.",
    use: "erabili, idatzi, sartu",
    fresh: "berri.",
    past: "aurreko, zahar",
    over: "iraungi, jada ez, baliogabe"
  },
  {
    name: "Maltese",
    code: "kodiċi, kodici",
    purpose: "verifika, sigurta, konferma",
    thing: "ordni, fattura",
    trade: "pakkett, skont",
    is: "huwa.",
    over: "skada"
  },
  {
    name: "Irish",
    code: "cod., chod., gcod.",
    purpose: "fioraithe, slandala, logail isteach, dearbh",
    thing: "ordu, sonrasc",
    trade: "beart, lascaine",
    is: "is e.",
    over: "imithe in eag"
  },
  {
    name: "Welsh",
    code: "cod., god., codau",
    purpose: "dilysu, diogelwch, mewngofnodi, cadarnhau",
    thing: "archeb, anfoneb",
    trade: "parsel, gostyngiad",
    is: "yw.",
    over: "wedi dod i ben"
  },
  {
    name: "Arabic",
    code: "رمز, الرمز, كود, الكود, رمزك",
    secret: "كلمة مرور لمرة واحدة, كلمة المرور لمرة واحدة, رمز المرور",
    purpose:
      "تحقق, التحقق, تأكيد, أمان, الأمان, دخول, الدخول, تفعيل, لمرة واحدة, هوية, هويتك, لا تشارك, توثيق, تسجيل الدخول, المصادقة",
    number: "رقم, الرقم",
    thing:
      "طلب, الطلب, فاتورة, الفاتورة, هاتف, الهاتف, عميل, العميل, حساب, الحساب, مرجع, المرجع, تتبع, التتبع, شكوى, معاملة, شحنة",
    line: "اتصل, المنتهي ب, تنتهي ب, ينتهي ب",
    sort: "بريدي, البريدي, خطأ, الخطأ, المنتج, الباب",
    trade: "خصم, الخصم, شحن, توصيل, التوصيل, استلام, الاستلام, قسيمة, عرض, طرد, حجز, الحجز",
    is: "هو., هي.",
    use: "استخدم, أدخل, ادخل, استعمل, يرجى إدخال",
    fresh: "الجديد, جديد",
    past: "السابق, القديم, بدلا من, بدلًا من, لا تستخدم",
    over: "لم يعد, منتهي الصلاحية, انتهت صلاحي, غير صالح, تم إلغاء, تم استبدال, لم تعد",
    unless: "إذا, اذا",
    later: "بعد"
  },
  {
    name: "Persian",
    code: "کد, رمز, گذرواژه",
    secret: "رمز یکبار مصرف, رمز یک بار مصرف, رمز یک‌بار مصرف, رمز پویا, رمز دوم پویا, کد یکبار مصرف",
    purpose:
      "تایید, تأیید, ورود, امنیتی, فعال سازی, فعالسازی, یکبار مصرف, یک بار مصرف, یک‌بار مصرف, احراز هویت, وارد شدن, به کسی ندهید, در اختیار",
    number: "شماره",
    thing: "سفارش, فاکتور, مشتری, پیگیری, تلفن, حساب, سریال",
    line: "تماس",
    sort: "پستی, رهگیری, ملی, تخفیف, پیگیری, خطا",
    trade: "تخفیف, ارسال شد, تحویل, مرسوله, کوپن, رهگیری",
    is: "است.",
    use: "استفاده کنید از, وارد کنید:",
    used: "را وارد کنید, استفاده کنید, را وارد",
    fresh: "جدید",
    past: "قبلی, قدیمی, به جای",
    over: "منقضی, معتبر نیست, باطل, نامعتبر, دیگر معتبر",
    unless: "اگر",
    later: "پس از"
  },
  {
    name: "Urdu",
    code: "کوڈ, پن.",
    secret: "او ٹی پی, ون ٹائم پاس ورڈ",
    purpose: "تصدیق, تصدیقی, لاگ ان, سیکیورٹی, سیکورٹی, توثیق, ون ٹائم, شیئر نہ, کسی کو نہ",
    number: "نمبر",
    thing: "آرڈر, انوائس, رسید, ٹریکنگ, اکاؤنٹ, فون",
    sort: "پوسٹل, رعایتی, ٹریکنگ",
    trade: "پارسل, ڈیلیوری, رعایت, کوپن",
    is: "ہے",
    used: "درج کریں, استعمال کریں",
    fresh: "نیا, نئے",
    past: "پرانا, پچھلا, کے بجائے",
    over: "ختم ہو, میعاد, درست نہیں, اب درست, منسوخ"
  },
  {
    name: "Hebrew",
    code: "קוד, סיסמה, סיסמא",
    secret: "סיסמה חד פעמית, סיסמה חד-פעמית, קוד חד פעמי, קוד חד-פעמי",
    purpose:
      "אימות, גישה, אבטחה, כניסה, חד-פעמי, חד פעמי, חד פעמית, התחבר, להתחבר, התחברות, זיהוי, אישור, אל תשתף, אין למסור, אין לשתף, הפעלה",
    number: "מספר, מס'",
    thing: "הזמנה, לקוח, טלפון, חשבונית, חשבון, פנייה, פניה, משלוח, אסמכתא",
    line: "התקשר, חייג, מסתיים ב, בטלפון",
    sort: "מיקוד, שגיאה, דלת, מוצר, קופון",
    trade: "איסוף, חבילה, משלוח, הנחה, קופון, מבצע, שליח, הגיעה",
    is: "הוא., הינו, היא.",
    use: "השתמש ב, השתמשו ב, הזן, הזינו, הקלד, הקישו, נא להזין, יש להזין",
    fresh: "החדש, חדש",
    past: "הקודם, הישן, במקום",
    over: "אינו תקף, לא תקף, פג תוקף, פג תוקפו, אינו בתוקף, בוטל, כבר לא",
    unless: "אם",
    later: "לאחר"
  },
  {
    name: "Hindi, Marathi and Nepali",
    code: "कोड, पिन.",
    secret: "ओटीपी, वन टाइम पासवर्ड, वन-टाइम पासवर्ड, सत्यापन कोड",
    purpose: "सत्यापन, पुष्टि, लॉगिन, लॉग इन, सुरक्षा, साझा न, किसी को न, पडताळणी, प्रमाणीकरण, प्रमाणित, सक्रियण, एक बार, शेअर",
    number: "नंबर, संख्या, क्रमांक",
    thing: "ऑर्डर, इनवॉइस, चालान, ट्रैकिंग, ग्राहक, खाता, खाते, फ़ोन, फोन, संदर्भ, शिकायत",
    line: "कॉल, समाप्त होने वाले",
    sort: "पिन कोड, कूपन, छूट, डाक",
    trade: "कूपन, छूट, डिलीवरी, पार्सल, भेज दिया, ऑफ़र, ऑफर",
    is: "है, आहे, हो.",
    used: "दर्ज करें, का उपयोग, डालें, टाका, वापरा",
    fresh: "नया, नवीन, नए",
    past: "पुराना, पिछला, के बजाय, जुना",
    over: "समाप्त हो, मान्य नहीं, अमान्य, अब मान्य, रद्द",
    unless: "अगर, यदि"
  },
  {
    name: "Bengali",
    code: "কোড, পিন.",
    secret: "ওটিপি, ওয়ান টাইম পাসওয়ার্ড",
    purpose: "যাচাই, যাচাইকরণ, লগইন, লগ ইন, নিরাপত্তা, ভেরিফিকেশন, নিশ্চিত, শেয়ার করবেন না, কাউকে",
    number: "নম্বর",
    thing: "অর্ডার, ইনভয়েস, চালান, ট্র্যাকিং, গ্রাহক, অ্যাকাউন্ট, ফোন",
    trade: "কুপন, ছাড়, ডেলিভারি, পার্সেল, পাঠানো হয়েছে, অফার",
    is: "হল, হলো",
    used: "লিখুন, ব্যবহার করুন, দিন",
    fresh: "নতুন",
    past: "পুরানো, আগের, পরিবর্তে",
    over: "মেয়াদ শেষ, আর বৈধ নয়, বৈধ নয়, বাতিল, অবৈধ"
  },
  {
    name: "Punjabi",
    code: "ਕੋਡ",
    secret: "ਓਟੀਪੀ",
    purpose: "ਤਸਦੀਕ, ਪੁਸ਼ਟੀ, ਲੌਗਇਨ, ਲੌਗ ਇਨ, ਸੁਰੱਖਿਆ",
    thing: "ਆਰਡਰ",
    trade: "ਕੂਪਨ, ਛੋਟ, ਡਿਲੀਵਰੀ",
    is: "ਹੈ",
    over: "ਮਿਆਦ"
  },
  {
    name: "Gujarati",
    code: "કોડ",
    secret: "ઓટીપી",
    purpose: "ચકાસણી, પુષ્ટિ, લૉગિન, લોગિન, સુરક્ષા",
    thing: "ઓર્ડર",
    trade: "કૂપન, ડિલિવરી, છૂટ",
    is: "છે",
    over: "સમાપ્ત"
  },
  {
    name: "Tamil",
    code: "குறியீடு, குறியீட்டை, குறியீட், கோட்",
    secret: "ஓடிபி, ஒரு முறை கடவுச்சொல்",
    purpose: "சரிபார்ப்பு, சரிபார்ப்புக், உள்நுழைவு, உள்நுழைய, பாதுகாப்பு, உறுதிப்படுத்த",
    thing: "ஆர்டர், விலைப்பட்டியல்",
    trade: "கூப்பன், தள்ளுபடி, டெலிவரி",
    used: "உள்ளிடவும், பயன்படுத்தவும்",
    over: "காலாவதி, செல்லாது"
  },
  {
    name: "Telugu",
    code: "కోడ్",
    secret: "ఓటీపీ, ఓటిపి",
    purpose: "ధృవీకరణ, ధ్రువీకరణ, లాగిన్, భద్రతా, నిర్ధారణ",
    thing: "ఆర్డర్",
    trade: "కూపన్, డెలివరీ, తగ్గింపు",
    over: "గడువు"
  },
  {
    name: "Kannada",
    code: "ಕೋಡ್",
    secret: "ಒಟಿಪಿ",
    purpose: "ಪರಿಶೀಲನಾ, ಪರಿಶೀಲನೆ, ದೃಢೀಕರಣ, ಲಾಗಿನ್, ಭದ್ರತಾ",
    thing: "ಆರ್ಡರ್",
    trade: "ಕೂಪನ್, ರಿಯಾಯಿತಿ, ವಿತರಣೆ",
    over: "ಅವಧಿ"
  },
  {
    name: "Malayalam",
    code: "കോഡ്",
    secret: "ഒടിപി",
    purpose: "സ്ഥിരീകരണ, പരിശോധനാ, ലോഗിൻ, സുരക്ഷാ",
    thing: "ഓർഡർ",
    trade: "കൂപ്പൺ, ഡെലിവറി, കിഴിവ്",
    over: "കാലഹരണ"
  },
  {
    name: "Sinhala",
    code: "කේත",
    purpose: "සත්‍යාපන, තහවුරු, පිවිසුම්, ආරක්ෂක",
    thing: "ඇණවුම",
    trade: "වට්ටම්, බෙදාහැරීම",
    over: "කල් ඉකුත්"
  },
  {
    name: "Thai",
    code: "รหัส, โค้ด",
    secret: "รหัสผ่านครั้งเดียว, รหัสผ่านแบบใช้ครั้งเดียว, รหัส otp",
    purpose: "ยืนยัน, ความปลอดภัย, เข้าสู่ระบบ, ตรวจสอบ, ห้ามบอก, อย่าเปิดเผย, ห้ามเปิดเผย, ใช้ครั้งเดียว",
    number: "หมายเลข, เลขที่",
    thing: "คำสั่งซื้อ, ใบแจ้งหนี้, ลูกค้า, โทรศัพท์, บัญชี, พัสดุ, อ้างอิง",
    line: "โทร, ลงท้ายด้วย",
    sort: "ไปรษณีย์, รับพัสดุ, ส่วนลด, สินค้า",
    trade: "พัสดุ, ส่วนลด, คูปอง, จัดส่ง, โปรโมชั่น, รับพัสดุ",
    is: "คือ",
    use: "ใช้, กรอก, ป้อน, ใส่",
    fresh: "ใหม่",
    past: "เดิม, เก่า, ก่อนหน้า, แทน",
    over: "หมดอายุ, ใช้ไม่ได้, ไม่สามารถใช้, ถูกยกเลิก",
    unless: "หาก, ถ้า"
  },
  {
    name: "Lao",
    code: "ລະຫັດ",
    purpose: "ຢືນຢັນ, ຄວາມປອດໄພ, ເຂົ້າສູ່ລະບົບ",
    thing: "ຄຳສັ່ງຊື້",
    trade: "ພັດສະດຸ, ສ່ວນຫຼຸດ",
    is: "ແມ່ນ, ຄື",
    use: "ໃຊ້, ປ້ອນ",
    over: "ໝົດອາຍຸ"
  },
  {
    name: "Khmer",
    code: "លេខកូដ, កូដ",
    purpose: "ផ្ទៀងផ្ទាត់, បញ្ជាក់, សុវត្ថិភាព, ចូលគណនី",
    thing: "ការបញ្ជាទិញ",
    trade: "បញ្ចុះតម្លៃ, ដឹកជញ្ជូន",
    is: "គឺ",
    over: "ផុតកំណត់"
  },
  {
    name: "Burmese",
    code: "ကုဒ်, ကုတ်",
    purpose: "အတည်ပြု, လုံခြုံရေး, ဝင်ရောက်",
    thing: "အော်ဒါ",
    trade: "လျှော့စျေး, ပို့ဆောင်",
    over: "သက်တမ်းကုန်"
  },
  {
    name: "Amharic",
    code: "ኮድ",
    purpose: "ማረጋገጫ, መግቢያ, ደህንነት",
    thing: "ትዕዛዝ",
    trade: "ቅናሽ, ኩፖን"
  },
  {
    name: "Vietnamese",
    code: "=mã., =mật mã.",
    secret: "=mã otp, mat khau dung mot lan, mat khau mot lan",
    purpose: "xac minh, xac nhan, xac thuc, bao mat, dang nhap, kich hoat, khong chia se, khong cung cap",
    number: "=số.",
    thing: "san pham, don hang, hoa don, khach hang, dien thoai, tai khoan, van don, ho so, giao dich",
    line: "goi., tong dai, ket thuc bang, =đuôi.",
    sort: "buu chinh, buu dien, loi., vach., san pham, van don, don hang, khuyen mai",
    trade: "giam gia, khuyen mai, uu dai, giao hang, buu kien, dat cho, van don, nhan hang, huy dang ky",
    is: "=là.",
    use: "su dung, =nhập., =dùng.",
    fresh: "=mới.",
    past: "=cũ., truoc do, thay cho, thay vi",
    over: "het han, khong con, vo hieu, het hieu luc, bi huy",
    unless: "=nếu.",
    later: "=sau."
  },
  {
    name: "Indonesian and Malay",
    code: "kode., kod., kodnya, kodenya",
    secret: "kata sandi sekali pakai, sandi sekali pakai, kata laluan sekali guna",
    purpose:
      "verifikasi, keamanan, keselamatan, konfirmasi, masuk., log masuk, pengesahan, aktivasi, pengaktifan, otentikasi, autentikasi, identitas, sekali pakai, jangan berikan, jangan bagikan, jangan kongsi, jangan beritahu",
    number: "nomor, nombor, no.",
    thing: "pesanan, faktur, invois, pelanggan, telepon, telefon, rekening, akaun, resi, referensi, rujukan",
    line: "hubungi, telp., balas, berakhir dengan, berakhiran",
    sort: "bayar, pembayaran, pos., poskod, promo, diskon, voucher, kesalahan, ralat, pintu, referral",
    trade:
      "paket, pengiriman, penghantaran, promo, diskon, diskaun, voucher, kupon, pesanan anda sudah, pengambilan, kurir, tawaran, reservasi, tempahan, bungkusan",
    is: "adalah, ialah, yaitu",
    use: "gunakan, masukkan, guna., pakai.",
    fresh: "baru., terbaru",
    past: "lama., sebelumnya, terdahulu, menggantikan, bukan",
    over: "tidak berlaku, kedaluwarsa, kadaluarsa, tamat tempoh, tidak lagi, tidak sah, dibatalkan",
    unless: "jika., bila.",
    later: "setelah., selepas., dalam."
  },
  {
    name: "Filipino",
    code: "code., kodigo",
    purpose: "beripikasyon, seguridad, mag-log in, huwag ibahagi, huwag itong ibahagi",
    is: "ay.",
    use: "gamitin, ilagay",
    fresh: "bagong",
    past: "lumang, dating",
    over: "hindi na, nag-expire"
  },
  {
    name: "Swahili",
    code: "msimbo, namba ya siri, nambari ya siri",
    purpose: "uthibitishaji, thibitisha, usalama, kuingia, ingia, usimpe, usishiriki",
    thing: "oda, ankara",
    trade: "punguzo, kuponi, kifurushi",
    is: "ni.",
    use: "tumia, weka., ingiza",
    fresh: "mpya",
    past: "wa zamani, uliopita",
    over: "umeisha, si halali"
  },
  {
    name: "Chinese",
    code: "代码, 代碼, 密码, 密碼, 口令, 数字码",
    secret:
      "验证码, 驗證碼, 校验码, 校驗碼, 动态码, 动态密码, 動態密碼, 动态口令, 安全码, 安全碼, 安全代码, 确认码, 確認碼, 激活码, 啟用碼, 认证码, 認證碼, 一次性密码, 一次性密碼, 登录码, 登入碼, 登录密码, 验证代码, 登录代码, 随机码, 短信码, 授权码, 識別碼, 识别码",
    purpose:
      "验证, 驗證, 登录, 登入, 登錄, 身份, 安全, 确认, 確認, 激活, 授权, 认证, 認證, 一次性, 请勿泄露, 请勿告知, 切勿告知, 請勿, 勿将",
    number: "号码, 號碼, 编号, 編號, 号., 號.",
    thing:
      "订单, 訂單, 订单号, 订单编号, 訂單編號, 运单, 运单号, 快递单号, 单号, 單號, 电话, 電話, 手机, 手機, 工单, 工单号, 发票, 發票, 客户, 客戶, 合同, 账号, 卡号, 流水号, 会员, 案件, 邮编, 邮政编码, 郵遞區號",
    line: "尾号, 末尾, 末四位, 致电, 致電, 拨打, 客服, 热线, 熱線, 回复, 回覆, 编辑短信",
    sort: "邮政, 错误, 商品, 二维, 门禁, 开门, 优惠, 折扣, 取件, 提货, 取餐, 邀请, 兑换, 自提",
    trade:
      "取件码, 取件碼, 取货码, 取貨碼, 提货码, 取餐码, 核销码, 优惠码, 優惠碼, 优惠券, 优惠, 優惠, 折扣码, 折扣, 快递, 包裹, 配送, 外卖, 兑换码, 兌換碼, 邀请码, 邀請碼, 满减, 退订, 退訂, 自提, 入住, 预订, 航班",
    is: "是, 为, 為, 如下, 即",
    use: "使用, 输入, 輸入, 请用, 填写, 填入",
    used: "登录, 完成验证",
    fresh: "新的, 最新",
    past: "旧, 舊, 之前的, 上一个, 原验证码, 原来的, 勿再使用, 而非, 不是, 代替",
    over: "已失效, 失效, 已过期, 已過期, 过期, 過期, 作废, 作廢, 无效, 無效, 不再有效, 已更换, 已被替换, 已使用",
    unless: "如果, 若, 如",
    later: "后, 後, 将, 將, 内, 內"
  },
  {
    name: "Japanese",
    code: "コード, 暗証番号, 番号:",
    secret:
      "認証コード, 認証番号, 確認コード, 検証コード, 確認番号, セキュリティコード, セキュリティ コード, ワンタイムパスワード, ワンタイム パスワード, ワンタイムコード, ログインコード, ログイン コード, 認証キー, 認証用コード, 本人確認コード, パスコード, 承認コード, 承認番号",
    purpose: "認証, 本人確認, ログイン, サインイン, セキュリティ, ワンタイム, 有効化, 他人に教え, 第三者",
    number: "番号, 号",
    thing:
      "注文, 注文番号, お問い合わせ番号, お問い合わせ, お客様番号, 会員番号, 受付番号, 受付, 伝票番号, 伝票, 追跡番号, 予約番号, 電話番号, 電話, 口座番号, 請求書番号, 請求書, 郵便番号, 取引番号, 管理番号, 契約番号",
    line: "下4桁, 末尾, 下四桁, お電話",
    sort: "クーポン, 郵便, エラー, 商品, qr, バー, 紹介, 招待, プロモーション, 割引, 受取, ギフト, 国",
    trade:
      "クーポン, クーポンコード, 割引, セール, 配送, お届け, 発送, 受取, 荷物, 宅配, ギフト, キャンペーン, 予約, 配信停止, チェックイン, 紹介コード, 招待コード",
    is: "は, が, として, の通り",
    used: "を入力, をご入力, を使用, をお使い, をご利用",
    fresh: "新しい, 最新",
    past: "以前の, 前回の, 古い, 旧, の代わりに",
    over: "無効, 期限切れ, 期限が切れ, 有効期限が過ぎ, 使えなく, 使用できなく, ではなく, 失効",
    unless: "場合",
    later: "後に, 経過"
  },
  {
    name: "Korean",
    code: "코드, 핀번호",
    secret:
      "인증번호, 인증 번호, 인증코드, 인증 코드, 확인코드, 확인 코드, 보안코드, 보안 코드, 로그인 코드, 로그인코드, 일회용 비밀번호, 일회용비밀번호, 일회용 암호, 일회용 코드, 본인확인번호, 본인 확인 번호, 승인 코드",
    purpose: "인증, 로그인, 보안, 본인 확인, 본인확인, 일회용, 타인에게, 알려주지, 승인, 활성화",
    number: "번호",
    thing:
      "주문, 주문번호, 송장, 송장번호, 운송장, 운송장번호, 고객번호, 고객 번호, 전화, 전화번호, 예약번호, 접수번호, 접수, 계좌, 청구서, 참조번호, 우편번호, 회원번호",
    line: "문의, 고객센터, 끝자리, 뒷자리, 무료수신거부, 수신거부",
    sort: "할인, 쿠폰, 오류, 우편, 현관, 출입, 상품, 초대, 추천, 수령",
    trade: "할인, 쿠폰, 배송, 택배, 수령, 픽업, 이벤트, 혜택, 발송, 도착, 예약, 체크인, 추천인",
    is: "는, 은, 입니다",
    used: "을 입력, 를 입력, 입력해, 을 사용, 를 사용",
    fresh: "새., 새로운, 신규",
    past: "이전, 기존, 대신",
    over: "만료, 유효하지 않, 무효, 더 이상, 아니라, 취소, 사용할 수 없",
    unless: "경우",
    later: "후, 이후"
  }
]
