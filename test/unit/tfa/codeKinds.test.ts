import { assert, describe, it } from "@effect/vitest"
import { codesIn, uncertainCodesIn } from "../../../core/vault/inbox/CodeFinder.ts"
import { messageOf } from "./corpus/Corpus.ts"

interface Parts {
  readonly subject?: string
  readonly text?: string
  readonly html?: string
}

const of = (parts: string | Parts) =>
  messageOf({ language: "", form: "", code: null, ...(typeof parts === "string" ? { text: parts } : parts) })

const found = (parts: string | Parts): string | null => codesIn(of(parts))[0]?.code ?? null

type Cases = ReadonlyArray<readonly [text: string | Parts, code: string | null]>

const check = (cases: Cases) => () => {
  for (const [parts, code] of cases) assert.strictEqual(found(parts), code, JSON.stringify(parts))
}

const quoted = (answer: string, old: string, subject = "Re: Your code"): Parts => ({
  subject,
  html: `<p>${answer}</p><blockquote><p>${old}</p></blockquote>`
})

describe("a number on the row below a sentence about a code", () => {
  it(
    "is the code, whatever ordinary word the sentence ends with",
    check([
      ["Please use the following code to verify your account:\n\n510001", "510001"],
      ["Bitte geben Sie zum Anmelden folgenden Bestätigungscode ein:\n\n510007", "510007"],
      ["Enter this code to confirm your payment request:\n\n510002", "510002"],
      ["Here is the code for your order:\n\n510003", "510003"],
      ["Your code to sign in to your client account is:\n\n510004", "510004"],
      ["Veuillez saisir ce code pour confirmer votre compte :\n\n510005", "510005"],
      ["Gebruik deze code voor uw account:\n\n510006", "510006"],
      ["Introduce este código para verificar tu cuenta:\n\n510008", "510008"]
    ])
  )

  it(
    "is that of another thing where the row above only names that",
    check([
      ["Order number:\n\n510001\n\nVerification code:\n\n510002", "510002"],
      ["Your verification code is on its way.\n\nInvoice no.:\n\n510003", null],
      ["EIN: 12-3456789\nYour code:\n510004", "510004"]
    ])
  )
})

describe("a number behind what a code is for", () => {
  it(
    "is that of the order, and the code follows the colon or \u201cis\u201d",
    check([
      ["TAN für den Auftrag 778812: 510020", "510020"],
      ["Verification code for order 778812: 510020", "510020"],
      ["The code for your ticket 778812 is 510020.", "510020"],
      ["Code de sécurité pour la commande 778812 : 510020", "510020"],
      ["Código para el pedido 778812: 510020", "510020"],
      ["Il codice per l'ordine 778812 è 510020.", "510020"],
      ["Kod do zamówienia 778812: 510020", "510020"],
      ["Kód k objednávce 778812: 510020", "510020"],
      ["Код для заказа 778812: 510020", "510020"],
      ["Koodi tilaukseen 778812: 510020", "510020"],
      ["ご注文 778812 の確認コード：510020", "510020"],
      ["주문 778812 인증번호: 510020", "510020"],
      ["TAN 510020 für den Auftrag 778812", "510020"],
      ["TAN Auftrag 778812: 510020", "510020"],
      ["510020 is your code for order 778812", "510020"],
      ["For order no. 778812 use code 510020", "510020"]
    ])
  )

  it(
    "is no code, also where the code is missing",
    check([
      ["TAN für den Auftrag 778812", null],
      ["We will send a code for order 778812.", null],
      ["Code de commande : 778812", null],
      ["Kode pesanan: 778812", null]
    ])
  )

  it("is a candidate for a person, with the reason against it", () => {
    assert.deepStrictEqual(
      uncertainCodesIn(of("We will send a code for order 778812.")).map(({ against, code }) => ({ against, code })),
      [{ against: "other", code: "778812" }]
    )
  })
})

describe("a number that the text takes back", () => {
  it(
    "loses to another, wherever that stands",
    check([
      ["The code 909090 is no longer valid. Please use 510018", "510018"],
      ["Please use 510018. The code 909090 is no longer valid.", "510018"],
      ["Use 510018 instead of 909090 to sign in.", "510018"],
      ["Your code is 510018 (not 909090).", "510018"],
      ["Ignore code 909090. Your code is 510018.", "510018"],
      ["Your previous code was 909090. Your new code is 510018.", "510018"],
      ["The code 909090 was replaced by 510018.", "510018"],
      ["Expired code: 909090\nCurrent code: 510018", "510018"],
      ["Der Code 909090 ist abgelaufen. Ihr neuer Code lautet 510018.", "510018"],
      ["Statt 909090 gilt die TAN 510018.", "510018"],
      ["Le code 909090 n'est plus valable. Utilisez 510018.", "510018"],
      ["El código 909090 ha caducado. Usa 510018 para entrar.", "510018"],
      ["Kod 909090 stracił ważność. Nowy kod to 510018.", "510018"],
      ["Код 909090 истёк. Используйте 510018, чтобы войти.", "510018"],
      ["Koda 909090 ni več veljavna. Uporabite 510018.", "510018"],
      ["验证码909090已失效，请使用新的验证码510018。", "510018"],
      ["認証コード909090は無効です。新しい認証コードは510018です。", "510018"],
      [{ html: "<p>Your code: <s>909090</s> <b>510018</b></p>" }, "510018"],
      [{ html: '<p>Your code: <span style="text-decoration: line-through">909090</span> 510018</p>' }, "510018"]
    ])
  )

  it(
    "is no code, also where there is no other",
    check([
      ["The code 909090 is no longer valid.", null],
      ["Do not use 909090. That code was cancelled.", null],
      ["Your login code 909090 has expired. Request a new one.", null],
      ["Der Code 909090 ist ungültig.", null]
    ])
  )

  it("is not offered to a person", () => {
    assert.deepStrictEqual(uncertainCodesIn(of("The code 909090 is no longer valid.")), [])
  })

  it(
    "is the code where it is taken back only if, or will be later, and where another number is",
    check([
      ["If the code 510018 has expired, request a new one. Use it to log in.", "510018"],
      ["Your login code 510018 becomes invalid after 10 minutes.", "510018"],
      ["Die TAN 510018 wird nach 10 Minuten ungültig.", "510018"],
      ["Your code is 510018. Do not share it. Earlier codes are no longer valid.", "510018"],
      ["Your code is 510018. Your previous session has expired.", "510018"]
    ])
  )

  it(
    "is none of two that are equally good: a person chooses",
    check([
      ["Your login code is 909090.\nYour login code is 510018.", null],
      ["Your login code is 909090.\nYour new login code is 510018.", "510018"]
    ])
  )
})

describe("a number to call or to answer to", () => {
  it(
    "is not the code",
    check([
      ["Harbour: 5829 is your login code. Reply STOP to 73901", "5829"],
      ["5829 is your login code. Text HELP to 73901 or STOP to 73902", "5829"],
      ["Votre code de connexion est 5829. Répondez STOP au 36180.", "5829"],
      ["Ihr Anmeldecode: 5829. Abmelden: STOPP an 44771", "5829"],
      ["Login code 5829. Not you? Call 73901.", "5829"],
      ["We sent a code to the number ending in 5829.", null],
      ["Text LOGIN to 73901 to get a code.", null]
    ])
  )
})

describe("a quoted part", () => {
  it(
    "loses to what answers it, in every form that programs quote in",
    check([
      [quoted("Your new code is 510044.", "Your code is 909090."), "510044"],
      [quoted("Your code is 510044.", "Your code is 909090.", "AW: Code"), "510044"],
      [
        {
          html: '<p>Your code: 510044</p><div class="gmail_quote"><div>On 2 March, A &lt;a@b.example&gt; wrote:</div><div>Your code: 909090</div></div>'
        },
        "510044"
      ],
      [{ subject: "Re: Code", text: "Your code: 510044\n\n> Your code: 909090" }, "510044"],
      [{ subject: "Re: Code", text: "On 2 March, A wrote:\n> Your code: 909090\n\nYour code: 510044" }, "510044"],
      [{ subject: "RE: Code", text: "Your code: 510044\n\n-----Original Message-----\nYour code: 909090" }, "510044"],
      [
        {
          subject: "AW: Code",
          text: "Ihr Code: 510044\n\nVon: A\nGesendet: 2. März\nAn: B\nBetreff: Code\n\nIhr Code: 909090"
        },
        "510044"
      ]
    ])
  )

  it(
    "is no code where nothing else is one",
    check([
      [quoted("Thanks, it worked.", "Your login code is 909090."), null],
      [{ subject: "Re: Code", text: "Thanks!\n\nOn 2 March, A wrote:\n> Your login code is 909090." }, null]
    ])
  )

  it(
    "is the message itself where it was forwarded, or only set off",
    check([
      [quoted("FYI", "Your login code is 510044.", "Fwd: Code"), "510044"],
      [quoted("Zur Info", "Ihr Anmeldecode: 510044", "WG: Code"), "510044"],
      [
        { subject: "Code", text: "---------- Forwarded message ---------\nFrom: A\n\n> Your login code is 510044." },
        "510044"
      ],
      [quoted("Your verification code:", "510044", "Your code"), "510044"]
    ])
  )
})

describe("a code that nothing else could be", () => {
  it(
    "is found in Slovenian, Croatian, Lithuanian, Latvian, Estonian, Finnish, Hungarian, Bengali, Georgian and Urdu",
    check([
      ["Vaša potrditvena koda je 510060.", "510060"],
      ["Vaš potvrdni kod je 510060.", "510060"],
      ["Jūsų patvirtinimo kodas: 510060", "510060"],
      ["Jūsu apstiprinājuma kods ir 510060.", "510060"],
      ["Teie kinnituskood on 510060.", "510060"],
      ["Vahvistuskoodisi on 510060.", "510060"],
      ["A megerősítő kódja: 510060", "510060"],
      ["আপনার যাচাইকরণ কোড হল ৫১০০৬০", "510060"],
      ["თქვენი დადასტურების კოდია 510060", "510060"],
      ["آپ کا تصدیقی کوڈ 510060 ہے۔", "510060"]
    ])
  )

  it(
    "is found in signs of emphasis, behind a sharp, and with other signs between its digits",
    check([
      ["Your code: _447160_", "447160"],
      ["Your code: *447160*", "447160"],
      ["Your code: **447 160**", "447160"],
      ["Your code is `447160`.", "447160"],
      ["Your verification code is #482913", "482913"],
      ["Your verification code\n\n#482913", "482913"],
      ["Login code: 4·4·7·1", "4471"],
      ["Login code: 4 • 4 • 7 • 1", "4471"],
      ["Login code: 4|4|7|1|6|0", "447160"],
      ["Login code: [4][4][7][1]", "4471"],
      ["Login code: 044 716", "044716"],
      ["Login code: 04 47 16", "044716"]
    ])
  )

  it(
    "is found in the value of a field and in what is said instead of a picture",
    check([
      [{ html: '<p>Your login code:</p><input value="447160" readonly>' }, "447160"],
      [{ html: `<p>Your login code:</p>${[..."4471"].map((digit) => `<input value=${digit}>`).join("")}` }, "4471"],
      [{ html: '<p>Your login code:</p><img alt="447160" src="cid:a">' }, "447160"],
      [{ html: '<p>Welcome</p><img alt="Your login code is 447160" src="cid:a">' }, "447160"],
      [{ html: '<input type="hidden" value="447160"><p>Your login code was sent to your phone.</p>' }, null],
      [{ html: '<p>Your login code was sent.</p><img alt="447160" width="1" height="1">' }, null]
    ])
  )

  it(
    "is found in upper and lower case",
    check([
      ["Your verification code: aB3xK9", "aB3xK9"],
      ["Your verification code:\n\nh7Kp29", "h7Kp29"],
      ["Your verification code: k3m7pq", "k3m7pq"]
    ])
  )

  it(
    "is found in the subject of an empty mail",
    check([
      [{ subject: "447160 is your Acme code", text: "" }, "447160"],
      [{ subject: "Acme login code 447160" }, "447160"],
      [{ subject: "447160 is your login code", html: "<html><body></body></html>" }, "447160"],
      [{ subject: "Order 447160", text: "" }, null]
    ])
  )
})
