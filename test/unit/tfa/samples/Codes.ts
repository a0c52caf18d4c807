/**
 * Messages modelled on those that sites send, each with the code that a person would take from it.
 */

export interface Sample {
  readonly name: string
  readonly subject?: string
  readonly html?: string
  readonly text?: string
  /** `null` where there is none. */
  readonly code: string | null
}

const table = (...cells: ReadonlyArray<string>): string =>
  `<table role="presentation"><tr>${cells.map((cell) => `<td style="padding:4px"><b>${cell}</b></td>`).join("")}</tr></table>`

export const withCode: ReadonlyArray<Sample> = [
  {
    name: "English, HTML only, code in a separate paragraph",
    subject: "Verify your email address",
    html: `<html><head><title>Acme 998877</title><style>.c{color:#112233}</style></head><body><h1>Verify your email</h1>
      <p>Enter the following verification code when prompted:</p><p style="font-size:32px;letter-spacing:6px">482913</p>
      <p>To protect your account, do not share this code. It expires in 10 minutes.</p>
      <p>Acme Inc., 2261 Market Street #4242, San Francisco, CA 94114</p><p>© 2026 Acme</p></body></html>`,
    code: "482913"
  },
  {
    name: "code in the subject only",
    subject: "482914 is your Acme verification code",
    text: "Hi Robin,\n\nUse the code in the subject to sign in.\n\nThe Acme team\nCall us: +1 415 555 0100",
    code: "482914"
  },
  {
    name: "Google style, with its letter before the number",
    subject: "Google verification code",
    text: "Dear Google User,\n\nWe received a request to access your Google Account robin@example.com.\n\nYour Google verification code is:\n\nG-739201\n\nIf you did not request this code, it is possible that someone else is trying to access the account.",
    code: "739201"
  },
  {
    name: "a space in the middle",
    subject: "Your sign-in code",
    text: "Your temporary sign-in code is\n\n123 456\n\nThis code will expire in 15 minutes.",
    code: "123456"
  },
  {
    name: "a dash in the middle",
    text: "Your WhatsApp code: 123-456\nDon't share this code with others",
    code: "123456"
  },
  {
    name: "one digit in each cell",
    subject: "Confirm it's you",
    html: `<p>Here is your one-time passcode:</p>${table("9", "0", "4", "1", "7", "3")}<p>Valid for 5 minutes.</p>`,
    code: "904173"
  },
  {
    name: "one digit in each span",
    html: `<div>Your security code</div><div>${[..."55810274"].map((digit) => `<span>${digit}</span>`).join("")}</div>`,
    code: "55810274"
  },
  {
    name: "one digit in each block",
    html: `<p>Your login code is</p>${[..."67012"].map((digit) => `<div>${digit}</div>`).join("\n")}<p>Never share it.</p>`,
    code: "67012"
  },
  {
    name: "letters and digits",
    subject: "Your one-time code",
    html: "<p>Your one-time code is:</p><p><strong>7K9Q2M</strong></p><p>It is valid for 30 minutes.</p>",
    code: "7K9Q2M"
  },
  {
    name: "letters and digits with a dash",
    text: "To finish signing in, type this confirmation code:\n\nABCD-1234\n\nIt expires in one hour.",
    code: "ABCD-1234"
  },
  {
    name: "letters with a dash",
    subject: "Slack confirmation code: SUO-KWX",
    html: "<h2>Confirm your email address</h2><p>Your confirmation code is below — enter it in your open browser window.</p><div>SUO-KWX</div>",
    code: "SUO-KWX"
  },
  { name: "four digits", text: "Your Uber code is 4821. Never share this code.", code: "4821" },
  { name: "ten digits", text: "Your verification code is 4821093357.", code: "4821093357" },
  {
    name: "a case number beside it",
    subject: "[Case #00918273] Your access code",
    text: "Case number: 00918273\nCustomer ID: 55120934\n\nYour access code is 771204 and expires in 10 minutes (14:35 UTC on 2026-11-21).",
    code: "771204"
  },
  {
    name: "label and value tables with other numbers",
    html: `<table><tr><td>Order number</td><td>40981233</td></tr><tr><td>Amount</td><td>$1,249.00</td></tr>
      <tr><td>Card ending in</td><td>4242</td></tr><tr><td>Verification code</td><td>650312</td></tr></table>
      <p>Enter this code to authorize your payment. Do not share it.</p>`,
    code: "650312"
  },
  {
    name: "a payment that is confirmed by a code",
    text: "123789 is your OTP for txn of INR 4999.00 at AMAZON on card ending 8812. Valid for 10 mins. Do not share OTP.",
    code: "123789"
  },
  {
    name: "an IP address and a time beside it",
    subject: "New sign-in attempt",
    text: "Someone tried to log in from 203.0.113.77 (Chrome 131.0.6778) at 2026-11-21 10:04:51.\nIf this was you, use this code: 309155\nRequest ID: 8817263540",
    code: "309155"
  },
  {
    name: "a year that is no code",
    text: "Happy 2026! Your login code is 2047.\nCopyright 2026 Acme",
    code: "2047"
  },
  {
    name: "a preview text that repeats it",
    html: `<div style="display:none;max-height:0">Your code is 118822 &#847;&zwnj;&nbsp;&#847;</div><p>Your verification code</p><p><b>118822</b></p>`,
    code: "118822"
  },
  {
    name: "a preview text with another number",
    html: `<div style="display:none">Your verification code is 999999</div><p>Your verification code is</p><p><b>118823</b></p>`,
    code: "118823"
  },
  {
    name: "characters that take no room within it",
    html: "<p>Your verification code: 4\u200b4\u200b1\u2060\u200d9\ufeff0\u00ad2</p>",
    code: "441902"
  },
  { name: "full-width digits", text: "認証コード：１２３４５６\n有効期限は10分です。", code: "123456" },
  {
    name: "a forwarded mail",
    subject: "Fwd: Your Acme security code",
    text: "\n---------- Forwarded message ---------\nFrom: Acme <no-reply@acme.example>\nDate: Sat, Nov 21, 2026 at 10:04 AM\nSubject: Your Acme security code\nTo: <robin@example.com>\n\n> Hello Robin,\n>\n> Your security code is: 560911\n>\n> It expires in 5 minutes.\n",
    code: "560911"
  },
  {
    name: "a reply that quotes an older one",
    subject: "Re: Your login code",
    text: "Your new login code is 222444.\n\n> On Friday we wrote:\n> Your login code is 111333.",
    code: "222444"
  },
  {
    name: "an SMS bound to its site",
    text: "Your Acme code is 747723. Order 998812.\n\n@acme.example #747723",
    code: "747723"
  },
  {
    name: "an SMS bound to its site, with a frame",
    text: "747724 is your code\n\n@shop.example #747724 @pay.example",
    code: "747724"
  },
  {
    name: "an SMS for an app that reads it",
    text: "<#> Your ExampleApp code is: 123ABC78\nFA+9qCX9VSu",
    code: "123ABC78"
  },
  {
    name: "an SMS with a number to call",
    text: "Your bank: code 40918 to log in. Not you? Call 1-800-555-0199",
    code: "40918"
  },
  {
    name: "how a mail program confirms that it may forward",
    subject: "(#830216497) Gmail Forwarding Confirmation - Receive Mail from robin@gmail.com",
    text: "robin@gmail.com has requested to automatically forward mail to your email address 0a1b2c3d+robot+app@inbox.example.\nConfirmation code: 830216497\n\nTo allow robin@gmail.com to automatically forward mail to your email address, please click the link below to confirm the request:\n\nhttps://mail-settings.google.com/mail/vf-%5BANGjdJ8x1%5D-aBcDeFgHiJkLmNoPq\n\nIf you click the link and it appears to be broken, please copy and paste it into a new browser window.\n\nIf you accidentally clicked the link, but you do not want to allow it, click this link to cancel this verification:\nhttps://mail-settings.google.com/mail/uf-%5BANGjdJ8x1%5D-zYxWvUtSrQpOnMlKj",
    code: "830216497"
  },
  {
    name: "German",
    subject: "Ihr Bestätigungscode",
    html: "<p>Guten Tag,</p><p>Ihr Bestätigungscode lautet:</p><h2>904 112</h2><p>Der Code ist 10 Minuten gültig.</p><p>Musterstraße 12, 10115 Berlin, Tel. 030 1234567</p>",
    code: "904112"
  },
  {
    name: "German, with an order number",
    text: "Ihre Bestellnummer: 40912233\nIhr Einmalkennwort für die Anmeldung: 551902",
    code: "551902"
  },
  {
    name: "French",
    subject: "Votre code de vérification",
    text: "Bonjour,\n\nVotre code de vérification est le suivant :\n\n310 554\n\nIl expire dans 10 minutes. Ne le partagez avec personne.\n75008 Paris",
    code: "310554"
  },
  {
    name: "Spanish",
    text: "Hola: tu código de verificación es 660412. Caduca en 5 minutos. No lo compartas.",
    code: "660412"
  },
  {
    name: "Italian",
    text: "Il tuo codice di verifica è 771093. Il codice scade tra 10 minuti. Non condividerlo con nessuno.",
    code: "771093"
  },
  {
    name: "Portuguese",
    html: "<p>Use este código de verificação para acessar sua conta:</p><p><b>482 190</b></p><p>O código expira em 15 minutos.</p>",
    code: "482190"
  },
  { name: "Dutch", text: "Je verificatiecode is 339 104. Deel deze code met niemand.", code: "339104" },
  {
    name: "Polish",
    text: "Twój kod weryfikacyjny to: 551238\nKod jest ważny przez 5 minut. Nie udostępniaj go nikomu.",
    code: "551238"
  },
  { name: "Turkish", text: "Doğrulama kodunuz: 918273. Kodu kimseyle paylaşmayın.", code: "918273" },
  {
    name: "Swedish",
    subject: "Din verifieringskod",
    text: "Din verifieringskod är 440 221. Den är giltig i 10 minuter.",
    code: "440221"
  },
  { name: "Czech", text: "Váš ověřovací kód je 553311. Platnost 5 minut.", code: "553311" },
  {
    name: "Japanese",
    subject: "【アクメ】認証コードのお知らせ",
    text: "ログインに必要な認証コードは以下の通りです。\n\n認証コード：809134\n\n有効期限：10分\nご注文番号：40912233\nお問い合わせ：03-1234-5678",
    code: "809134"
  },
  {
    name: "Chinese",
    text: "【示例】您的验证码是628104，5分钟内有效，请勿泄露给他人。如非本人操作，请致电400-123-4567。",
    code: "628104"
  },
  {
    name: "Chinese, traditional",
    text: "您的驗證碼為 331907，請於10分鐘內輸入。訂單編號 20261121001。",
    code: "331907"
  },
  { name: "Korean", text: "[예시] 인증번호 [482910]를 입력해 주세요. 3분 이내 유효. 문의 1588-1234", code: "482910" },
  {
    name: "Russian",
    text: "Ваш код подтверждения: 774512. Никому не сообщайте его.\nНомер заказа: 90817263",
    code: "774512"
  },
  { name: "Ukrainian", text: "Ваш код підтвердження 552719. Нікому його не повідомляйте.", code: "552719" },
  {
    name: "Arabic",
    text: "رمز التحقق الخاص بك هو \u200f٤٨٢٩١٠\u200f. صالح لمدة 10 دقائق. لا تشاركه مع أحد.",
    code: "482910"
  },
  { name: "Hebrew", text: "קוד האימות שלך הוא 559120. אל תשתף אותו.", code: "559120" },
  { name: "Vietnamese", text: "Mã xác minh của bạn là 410922. Không chia sẻ mã này.", code: "410922" },
  { name: "Indonesian", text: "Kode verifikasi Anda adalah 190833. Jangan bagikan kepada siapa pun.", code: "190833" },
  { name: "Thai", text: "รหัสยืนยันของคุณคือ 662031 ใช้ได้ภายใน 5 นาที", code: "662031" },
  {
    name: "nothing about a code but the subject",
    subject: "Your verification code",
    html: "<p>Hello Robin,</p><p>Please use the following to finish signing in.</p><h1>493021</h1><p>Best, Acme</p>",
    code: "493021"
  },
  {
    name: "plain text where HTML shows a picture",
    subject: "Sign in to Acme",
    html: '<p>Hello</p><img src="cid:code">',
    text: "Hello\nYour sign-in code is 730155",
    code: "730155"
  },
  {
    name: "a code above what it is for",
    html: "<h1>815522</h1><p>This is your verification code for Acme. It expires in 10 minutes.</p>",
    code: "815522"
  }
]

export const withoutCode: ReadonlyArray<Sample> = [
  {
    name: "a newsletter with a discount",
    subject: "20% off everything, use code SAVE2026",
    html: "<h1>Black Friday sale</h1><p>Use code <b>SAVE2026</b> at checkout for 20% off your order over $100.</p><p>Sign in to shop now</p><p>Unsubscribe · 1200 Main Street, Springfield, IL 62701</p>",
    code: null
  },
  {
    name: "a receipt",
    subject: "Your receipt from Acme #2914-4821",
    html: "<p>Receipt from Acme</p><p>Amount paid</p><p>$120.00</p><p>Receipt number</p><p>2914-4821</p><p>Invoice number</p><p>A1B2C3D4-0007</p><p>Payment method</p><p>Visa - 4242</p><p>Questions? Call +1 888-926-2289.</p>",
    code: null
  },
  {
    name: "a shipping notice",
    subject: "Your order 112-9876543 has shipped",
    text: "Your package with order 40981233 was shipped.\nTracking number: 9400110200\nDelivery by Nov 24, 2026\nZIP code 94107\nLog in to track your parcel.",
    code: null
  },
  {
    name: "an invoice",
    subject: "Rechnung 20261121",
    text: "Rechnungsnummer: 20261121\nKundennummer: 445566\nBetrag: 119,00 €\nFällig am 05.12.2026\nIBAN DE02120300000000202051\nSteuernummer 12/345/67890",
    code: null
  },
  {
    name: "a booking",
    subject: "Your flight itinerary",
    text: "Booking confirmed!\nConfirmation code: X7K2QP\nFlight BA 2490, gate 4512, seat 22A\nPassenger: Robin Doe\nCheck-in opens 24 hours before.\nReservation total: 450.00 EUR",
    code: null
  },
  {
    name: "a notice of a parcel locker",
    text: "Your parcel has arrived. Pickup code: 482911. Order 88123. Locker at 1200 Main Street. Collect within 3 days.",
    code: null
  },
  {
    name: "a ticket of a help desk",
    subject: "[Ticket #482913] We received your request",
    text: "Hi,\nthank you for contacting us. Your ticket number is 482913. We will answer within 24 hours.\nRef: 00912288",
    code: null
  },
  {
    name: "a build that failed",
    subject: "Build 482913 failed",
    text: "Build #482913 of branch main failed with exit code 137 (error code 500123).\nCommit 7f3a9b2c, 1024 tests, 3 failures.",
    code: null
  },
  {
    name: "a bank statement",
    text: "Your statement is ready. Account ending in 4821. Balance: 10482.91 USD. Sort code 20-44-91. Branch code 204491.",
    code: null
  },
  {
    name: "a sign-in alert without a code",
    subject: "New sign-in to your account",
    text: "We noticed a new sign-in to your account robin@example.com from 198.51.100.23 on 21 November 2026 at 10:04.\nIf this was you, you can ignore this mail.\nReference: 88120934",
    code: null
  },
  {
    name: "an invitation to a meeting",
    subject: "Invitation: Planning",
    text: "Join with video: https://meet.example/abc-defg-hij\nDial +1 617-675-4444\n2026-11-23 15:00, room 4512",
    code: null
  },
  {
    name: "a hidden code only",
    html: '<div style="display:none">Your verification code is 482913</div><p>Welcome to our newsletter. 2026 was a great year.</p>',
    code: null
  },
  {
    name: "a Chinese notice of a delivery",
    text: "您的快递已到达，取件码 4829，运单号 78123456，电话 13800138000。",
    code: null
  },
  {
    name: "a French newsletter with a discount",
    text: "Profitez de -30% avec le code promo NOEL2026 sur votre prochaine commande. Livraison offerte dès 50 €.",
    code: null
  },
  {
    name: "a Spanish order",
    text: "Tu pedido 40981233 ha sido enviado. Número de seguimiento 9400110200. Código postal 28013 Madrid.",
    code: null
  },
  {
    name: "an advertisement by SMS",
    text: "Sale! 50% off with code 445566 today. Reply STOP to 72345 to unsubscribe.",
    code: null
  },
  { name: "nothing", subject: "", text: "", code: null }
]
